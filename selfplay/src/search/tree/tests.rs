use super::*;

/// A root with two moves, each with two replies, all evaluated as even, and the paths to the replies.
fn root_with_replies() -> (Tree<u16>, Vec<[NodeId; 3]>) {
    let mut tree = Tree::new();
    let root = tree.add_open(Wdl::DRAW, &[10, 11], &[0.5, 0.5]);
    tree.back_up(&[root], Wdl::DRAW);
    let mut paths = Vec::new();
    for place in 0..2 {
        let child = tree.add_open(Wdl::DRAW, &[20, 21], &[0.5, 0.5]);
        tree.attach(ROOT, place, child);
        tree.back_up(&[ROOT, child], Wdl::DRAW);
        paths.extend([[ROOT, child, 0], [ROOT, child, 1]]);
    }
    (tree, paths)
}

/// Ends the game after a reply with `wdl` for the side then to move.
fn end(tree: &mut Tree<u16>, [root, child, place]: [NodeId; 3], wdl: Wdl) {
    let ended = tree.add_ended(wdl);
    tree.attach(child, place as usize, ended);
    tree.back_up(&[root, child, ended], wdl);
}

#[test]
fn sizes_are_as_stated() {
    assert_eq!(size_of::<Edge<u16>>(), 12);
    assert_eq!(size_of::<Node>(), 36);
}

#[test]
fn a_win_needs_one_lost_reply_and_a_loss_needs_all() {
    let (mut tree, paths) = root_with_replies();
    // The mover after the reply is mated: the replier wins, the root's move loses.
    end(&mut tree, paths[0], Wdl::LOSS);
    let first = *tree.behind(&tree.edges(ROOT)[0]);
    assert_eq!(first.move_proof(), Proof::Loss(2));
    assert_eq!(first.move_wdl(), Wdl::LOSS);
    assert_eq!(tree.node(ROOT).proof, Proof::Open);
    end(&mut tree, paths[2], Wdl::LOSS);
    assert_eq!(tree.node(ROOT).proof, Proof::Loss(2));
}

#[test]
fn a_refuted_reply_leaves_the_mean_of_the_position_before_it() {
    let (mut tree, paths) = root_with_replies();
    let before = tree.node(ROOT).raw();
    // The replier walks into a mate: the root's move is worth no more for it, since there is another reply.
    end(&mut tree, paths[0], Wdl::WIN);
    let first = *tree.behind(&tree.edges(ROOT)[0]);
    assert_eq!(first.visits(), 2);
    assert_eq!(first.move_proof(), Proof::Open);
    assert_eq!(first.move_wdl(), before);
    // When the other reply is mated too, the move wins.
    end(&mut tree, paths[1], Wdl::WIN);
    assert_eq!(tree.node(ROOT).proof, Proof::Win(2));
}

#[test]
fn means_leave_out_simulations_under_way() {
    let (mut tree, paths) = root_with_replies();
    let [root, child, _] = paths[0];
    let pending = tree.add_pending();
    tree.attach(child, 1, pending);
    tree.put_off(&[root, child, pending]);
    let mated = tree.add_ended(Wdl::WIN);
    tree.attach(child, 1, mated);
    let path = [root, child, mated];
    tree.put_off(&path);
    tree.settle(&path, Wdl::WIN, |at| u32::from(at < 2));
    tree.open(pending, Wdl::DRAW, &[30], &[1.0]);
    tree.settle(&[root, child, pending], Wdl::DRAW, |_| 0);
    assert_eq!(tree.node(child).move_wdl(), Wdl::DRAW);
}

#[test]
fn a_drawn_end_proves_nothing() {
    let (mut tree, paths) = root_with_replies();
    for path in paths {
        end(&mut tree, path, Wdl::DRAW);
    }
    assert_eq!(tree.node(ROOT).proof, Proof::Open);
    assert_eq!(tree.visits(ROOT), 6);
    assert_eq!(tree.behind(&tree.edges(ROOT)[0]).move_wdl(), Wdl::DRAW);
}

#[test]
fn a_lost_cycle_is_a_value_and_no_proof() {
    let (mut tree, paths) = root_with_replies();
    let [root, child, place] = paths[0];
    let cycle = tree.add_cycle(Wdl::LOSS, 0);
    tree.attach(child, place as usize, cycle);
    tree.back_up(&[root, child, cycle], Wdl::LOSS);
    assert!(tree.node(cycle).is_terminal());
    assert_eq!(tree.node(child).proof, Proof::Open);
    assert!(tree.node(child).move_value() < 0.0);
}

#[test]
fn a_simulation_under_way_counts_as_lost_by_both() {
    let (mut tree, paths) = root_with_replies();
    let [root, child, place] = paths[0];
    let leaf = tree.add_pending();
    tree.attach(child, place as usize, leaf);
    let path = [root, child, leaf];
    tree.put_off(&path);
    assert!(tree.node(leaf).is_pending() && !tree.node(leaf).is_terminal());
    assert_eq!(tree.visits(ROOT), 3);
    assert!((tree.node(child).move_value() + 0.5).abs() < 1e-6);
    assert!((tree.node(leaf).move_value() + 1.0).abs() < 1e-6);
    tree.open(leaf, Wdl::DRAW, &[30], &[1.0]);
    tree.settle(&path, Wdl::DRAW, |_| 0);
    assert_eq!(tree.visits(ROOT), 3);
    assert!(tree.node(child).move_value().abs() < 1e-6);
    assert_eq!(tree.edges(leaf).len(), 1);
}

#[test]
fn untried_moves_come_by_their_priors() {
    let mut tree = Tree::new();
    let priors = [0.1, 0.3, 0.05, 0.3, 0.25];
    let root = tree.add_open(Wdl::DRAW, &[0u16, 1, 2, 3, 4], &priors);
    tree.back_up(&[root], Wdl::DRAW);
    let mut order = Vec::new();
    while let Some(next) = tree.tried(ROOT).1.first() {
        order.push(next.mv);
        let place = tree.tried(ROOT).0.len();
        let child = tree.add_ended(Wdl::DRAW);
        tree.attach(ROOT, place, child);
        tree.back_up(&[ROOT, child], Wdl::DRAW);
    }
    assert_eq!(order[..2], [1, 3]);
    assert_eq!(order[2..], [4, 0, 2]);
    assert!(tree.edges(ROOT).iter().all(|edge| edge.mv == edge.index));
}

#[test]
fn a_subtree_keeps_counts_and_proofs_but_no_cycle_from_before() {
    let (mut tree, paths) = root_with_replies();
    end(&mut tree, paths[3], Wdl::LOSS);
    let [root, child, place] = paths[2];
    let cycle = tree.add_cycle(Wdl::DRAW, 4);
    // The first reply became the second edge when the second was tried first.
    let place = tree.edges(child).len() - 1 - place as usize;
    tree.attach(child, place, cycle);
    tree.back_up(&[root, child, cycle], Wdl::DRAW);
    let mut kept = Tree::new();
    tree.move_subtree(child, 4, &mut kept);
    assert_eq!(kept.visits(ROOT), 2);
    assert_eq!(kept.node(ROOT).proof, Proof::Win(1));
    tree.move_subtree(child, 5, &mut kept);
    assert_eq!(kept.visits(ROOT), 1);
    let (tried, untried) = kept.tried(ROOT);
    assert_eq!((tried.len(), untried.len()), (1, 1));
    assert!(kept.behind(&tried[0]).is_terminal());
}
