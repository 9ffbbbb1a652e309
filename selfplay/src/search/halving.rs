//! Sequential halving at a Gumbel root (Danihelka et al., ICLR 2022, algorithm 2), with moves that are proven lost replaced.

use super::config::GumbelConfig;
use super::policy::Arm;
use super::tree::Proof;

/// What the halving wants next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// A simulation of this move, by its place in the order of legal moves.
    Simulate(usize),
    /// The simulations under way.
    Wait,
    /// Nothing: every move is proven lost.
    Lost,
}

/// Which root moves are still in the running.
#[derive(Clone, Debug, Default)]
pub(super) struct Halving {
    /// Gumbel noise by move, scaled by temperature.
    noise: Vec<f32>,
    /// Every move by noise plus logit, best first.
    order: Vec<u16>,
    /// The moves in the running, in that order or by score once halved.
    candidates: Vec<u16>,
    /// How many of `order` have been in the running.
    entered: usize,
    /// The visits that every candidate gets in this phase, counted from the start of the search.
    target: u32,
    /// The number of phases that share the simulations.
    phases: u32,
    simulations: u32,
}

impl Halving {
    /// Starts with the `considered` best moves by noise plus logit.
    pub(super) fn start(
        &mut self,
        arms: &[Arm],
        noise: Vec<f32>,
        considered: u32,
        simulations: u32,
    ) {
        let key = |&at: &u16| noise[at as usize] + arms[at as usize].logit;
        self.order.clear();
        self.order.extend(0..arms.len() as u16);
        self.order
            .sort_by(|a, b| key(b).total_cmp(&key(a)).then(a.cmp(b)));
        self.noise = noise;
        // More moves than half the simulations cannot be told apart.
        let considered = (considered as usize)
            .min(arms.len())
            .min(simulations.div_ceil(2).max(2) as usize);
        self.candidates.clear();
        self.candidates
            .extend_from_slice(&self.order[..considered.min(arms.len())]);
        self.entered = self.candidates.len();
        self.phases = usize::BITS - (considered.max(2) - 1).leading_zeros();
        self.simulations = simulations;
        self.target = self.share();
    }

    /// Returns the move to simulate next. Only when every simulation is `settled`, and none under way, may the moves be halved.
    pub(super) fn next(
        &mut self,
        arms: &[Arm],
        config: &GumbelConfig,
        most_visits: u32,
        settled: bool,
    ) -> Turn {
        self.replace_lost(arms);
        if self.candidates.is_empty() {
            return Turn::Lost;
        }
        loop {
            let behind = self
                .candidates
                .iter()
                .filter(|&&at| arms[at as usize].visits < self.target);
            if let Some(&at) = behind.min_by_key(|&&at| arms[at as usize].visits) {
                return Turn::Simulate(at as usize);
            }
            if !settled {
                return Turn::Wait;
            }
            self.halve(arms, config, most_visits);
        }
    }

    /// Returns the move to play: of the candidates visited most, the one with the best score.
    pub(super) fn choice(
        &mut self,
        arms: &[Arm],
        config: &GumbelConfig,
        most_visits: u32,
    ) -> Option<usize> {
        self.replace_lost(arms);
        let score = |at: u16| self.score(arms, config, most_visits, at);
        let best = |&a: &u16, &b: &u16| {
            let visits = arms[a as usize].visits.cmp(&arms[b as usize].visits);
            visits.then(score(a).total_cmp(&score(b)))
        };
        self.candidates
            .iter()
            .copied()
            .max_by(|a, b| best(a, b))
            .map(usize::from)
    }

    fn score(&self, arms: &[Arm], config: &GumbelConfig, most_visits: u32, at: u16) -> f32 {
        self.noise[at as usize] + arms[at as usize].score(config, most_visits)
    }

    /// A move proven lost leaves at once, and the next one in line takes its place.
    fn replace_lost(&mut self, arms: &[Arm]) {
        let lost = |at: &u16| matches!(arms[*at as usize].proof, Proof::Loss(_));
        let before = self.candidates.len();
        self.candidates.retain(|at| !lost(at));
        while self.candidates.len() < before && self.entered < self.order.len() {
            let next = self.order[self.entered];
            self.entered += 1;
            if !lost(&next) {
                self.candidates.push(next);
            }
        }
    }

    /// Keeps the better half, but at least two, and starts the next phase.
    fn halve(&mut self, arms: &[Arm], config: &GumbelConfig, most_visits: u32) {
        let mut candidates = std::mem::take(&mut self.candidates);
        let score = |at: u16| self.score(arms, config, most_visits, at);
        candidates.sort_by(|&a, &b| score(b).total_cmp(&score(a)).then(a.cmp(&b)));
        candidates.truncate((candidates.len() / 2).max(2));
        self.candidates = candidates;
        self.target += self.share();
    }

    /// Returns how many visits each candidate gets in one phase.
    fn share(&self) -> u32 {
        (self.simulations / (self.phases * self.candidates.len().max(1) as u32)).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: GumbelConfig = GumbelConfig::USUAL;

    fn arms(values: &[f32]) -> Vec<Arm> {
        values
            .iter()
            .map(|&value| Arm {
                logit: 0.0,
                visits: 0,
                value,
                proof: Proof::Open,
            })
            .collect()
    }

    /// Simulates with fixed values and returns the visits of each move.
    fn run(
        arms: &mut [Arm],
        considered: u32,
        simulations: u32,
        lost: impl Fn(usize, u32) -> bool,
    ) -> Vec<u32> {
        let mut halving = Halving::default();
        halving.start(arms, vec![0.0; arms.len()], considered, simulations);
        for _ in 0..simulations {
            let most = arms.iter().map(|arm| arm.visits).max().unwrap();
            let Turn::Simulate(at) = halving.next(arms, &CONFIG, most, true) else {
                break;
            };
            arms[at].visits += 1;
            if lost(at, arms[at].visits) {
                arms[at].proof = Proof::Loss(2);
            }
        }
        arms.iter().map(|arm| arm.visits).collect()
    }

    #[test]
    fn visits_halve_as_in_the_paper() {
        let mut eight = arms(&[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]);
        // 24 simulations over three phases: 1 each for eight, 2 each for four, 4 each for two.
        assert_eq!(
            run(&mut eight, 8, 24, |_, _| false),
            [1, 1, 1, 1, 3, 3, 7, 7]
        );
    }

    #[test]
    fn a_lost_move_is_replaced_at_once() {
        let mut four = arms(&[0.5; 4]);
        let visits = run(&mut four, 2, 16, |at, _| at < 2);
        assert_eq!(visits[..2], [1, 1]);
        assert_eq!(visits[2] + visits[3], 14);
        let mut three = arms(&[0.5; 3]);
        assert_eq!(run(&mut three, 2, 16, |_, visits| visits == 2), [2, 2, 2]);
    }
}
