use super::*;

/// A root with one move, after which there are three replies, the untried third included.
fn root_with_replies() -> (Tree<u16>, NodeId) {
    let mut tree = Tree::new();
    let root = tree.add_open(Wdl::DRAW, &[10], &[1.0]);
    tree.back_up(&[root], Wdl::DRAW);
    let child = tree.add_open(Wdl::DRAW, &[20, 21, 22], &[0.4, 0.3, 0.3]);
    tree.attach(ROOT, 0, child);
    tree.back_up(&[ROOT, child], Wdl::DRAW);
    (tree, child)
}

fn visit(tree: &mut Tree<u16>, child: NodeId, place: usize, reply: NodeId, times: u32) {
    tree.attach(child, place, reply);
    for _ in 0..times {
        tree.back_up(&[ROOT, child, reply], Wdl::DRAW);
    }
}

fn line_of(tree: &Tree<u16>) -> Vec<u16> {
    line(tree, &tree.edges(ROOT)[0])
}

#[test]
fn a_line_goes_on_with_the_most_visited_reply() {
    let (mut tree, child) = root_with_replies();
    assert_eq!(
        line_of(&tree),
        [10],
        "nothing is expected before it is tried"
    );
    let first = tree.add_open(Wdl::DRAW, &[30], &[1.0]);
    visit(&mut tree, child, 0, first, 2);
    assert_eq!(line_of(&tree), [10, 20]);
    let second = tree.add_open(Wdl::DRAW, &[31], &[1.0]);
    visit(&mut tree, child, 1, second, 3);
    assert_eq!(line_of(&tree), [10, 21]);
}

#[test]
fn a_line_goes_by_proofs_before_visits() {
    let (mut tree, child) = root_with_replies();
    let first = tree.add_open(Wdl::DRAW, &[30], &[1.0]);
    visit(&mut tree, child, 0, first, 9);
    // The second reply mates: it is expected however rarely it was visited.
    let mated = tree.add_ended(Wdl::LOSS);
    visit(&mut tree, child, 1, mated, 1);
    assert_eq!(line_of(&tree), [10, 21]);
}

#[test]
fn a_reply_that_is_proven_to_lose_is_not_expected() {
    let (mut tree, child) = root_with_replies();
    let lost = tree.add_proven(Proof::Win(1));
    visit(&mut tree, child, 0, lost, 9);
    let second = tree.add_open(Wdl::DRAW, &[31], &[1.0]);
    visit(&mut tree, child, 1, second, 1);
    assert_eq!(line_of(&tree), [10, 21]);
}
