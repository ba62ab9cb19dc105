//! Which rounds count: those at the clocks that the process has seen. How long a workload is warmed up.

use std::time::Duration;

/// A round counts if its clock is at least this share of the process's best.
const LEAST: f64 = 0.97;
/// Meters that must be near the best before anything is timed, and how near.
const STEADY: (usize, f64) = (5, 0.99);
/// Cycles of a meter: 32,768 dependent steps of four cycles each, as NVIDIA's GPUs have had since Volta.
const CYCLES: f64 = 131_072.0;

/// How workloads are warmed up, and whether clocks are metered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Whether a meter runs between the rounds.
    pub meters: bool,
    /// The least time of a warm-up.
    pub warm: Duration,
    /// The most time of a warm-up that waits for steady clocks.
    pub most: Duration,
    /// The most rounds of a warm-up.
    pub rounds: usize,
}

impl Profile {
    /// GPUs, whose clocks rise for some 0.2 s and fall while the host computes.
    pub const GPU: Self = Self {
        meters: true,
        warm: Duration::from_millis(300),
        most: Duration::from_secs(3),
        rounds: usize::MAX,
    };
    /// Adapters that run on the CPU: a meter of it would tell nothing of the device.
    pub const SOFTWARE: Self = Self {
        meters: false,
        warm: Duration::from_millis(200),
        most: Duration::from_millis(200),
        rounds: 50,
    };

    /// The profile of an adapter. The wall adds the host's moods to a meter of 70 microseconds, so that only a device's
    /// own clock reads one.
    pub fn of(software: bool, has_timestamps: bool) -> Self {
        match software {
            true => Self::SOFTWARE,
            false => Self {
                meters: has_timestamps,
                ..Self::GPU
            },
        }
    }

    /// Whether a workload is warm after so long and so many rounds, each input set having been used.
    pub fn is_warm(&self, elapsed: Duration, rounds: usize, sets: usize, is_steady: bool) -> bool {
        let is_settled = is_steady || !self.meters;
        rounds >= sets.max(2)
            && (rounds >= self.rounds
                || elapsed >= self.most
                || (elapsed >= self.warm && is_settled))
    }
}

/// The clock that a meter of so many nanoseconds tells, in MHz.
pub fn mhz(nanoseconds: f64) -> f64 {
    CYCLES * 1e3 / nanoseconds
}

/// The highest clock that the process has seen in two meters running, so that none that went wrong is taken for it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Best {
    last: f64,
    best: f64,
}

impl Best {
    /// The same after one more meter.
    pub fn and(self, mhz: f64) -> Self {
        Self {
            last: mhz,
            best: self.best.max(self.last.min(mhz)),
        }
    }

    /// Whether it is a higher one by more than meters spread.
    pub fn has_risen(self, before: Self) -> bool {
        STEADY.1 * self.best > before.best
    }

    /// Whether the last of these meters are all near it.
    pub fn is_steady(self, meters: &[f64]) -> bool {
        let (count, near) = STEADY;
        let mut last = meters.iter().rev().take(count);
        meters.len() >= count && last.all(|&m| m >= near * self.best)
    }

    /// Whether a round of this clock counts.
    pub fn counts(self, round: f64) -> bool {
        round >= LEAST * self.best
    }
}

/// The clocks of rounds, between each two of which a meter ran, as before the first and behind the last: the lower of the
/// two.
pub fn of_rounds(meters: &[f64]) -> Vec<f64> {
    meters.windows(2).map(|pair| pair[0].min(pair[1])).collect()
}

/// What is said of the clocks of a workload's rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clocks {
    /// The median of those rounds that count.
    pub mhz: f64,
    /// The distance of the highest and the lowest of all rounds, as a share of that.
    pub spread: f64,
    /// Rounds that do not count.
    pub dropped: usize,
    /// Whether those are more than a third: no figure of them is to be published.
    pub are_low: bool,
}

impl Clocks {
    /// The clocks of rounds, and which rounds count: all if none is near the best.
    pub fn new(rounds: &[f64], best: Best) -> (Self, Vec<bool>) {
        let mut counts: Vec<bool> = rounds.iter().map(|&round| best.counts(round)).collect();
        let dropped = counts.iter().filter(|&&counts| !counts).count();
        let are_low = 3 * dropped > rounds.len();
        if dropped == rounds.len() {
            counts.fill(true);
        }
        let mut kept: Vec<f64> = rounds
            .iter()
            .zip(&counts)
            .filter_map(|(&round, &counts)| counts.then_some(round))
            .collect();
        kept.sort_by(f64::total_cmp);
        let mhz = kept.get(kept.len() / 2).copied().unwrap_or(f64::NAN);
        let high = rounds.iter().copied().fold(f64::NAN, f64::max);
        let low = rounds.iter().copied().fold(f64::NAN, f64::min);
        let clocks = Self {
            mhz,
            spread: (high - low) / mhz,
            dropped,
            are_low,
        };
        (clocks, counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best_of(meters: &[f64]) -> Best {
        meters.iter().fold(Best::default(), |best, &m| best.and(m))
    }

    #[test]
    fn a_meter_of_66_microseconds_is_1980_mhz() {
        assert!((mhz(66_198.0) - 1980.0).abs() < 0.1);
    }

    #[test]
    fn one_meter_alone_is_not_the_best() {
        assert_eq!(best_of(&[1980.0, 9000.0, 1975.0]).best, 1980.0);
        assert_eq!(best_of(&[1000.0]).best, 0.0);
        assert_eq!(best_of(&[1000.0, 1500.0, 1490.0, 700.0]).best, 1490.0);
        assert!(best_of(&[747.0; 2]).has_risen(best_of(&[389.0; 2])));
    }

    #[test]
    fn clocks_are_steady_once_five_meters_are_within_one_percent_of_the_best() {
        let mut meters = vec![600.0, 1980.0, 1980.0, 1979.0, 1975.0];
        assert!(!best_of(&meters).is_steady(&meters));
        meters.push(1961.0);
        assert!(best_of(&meters).is_steady(&meters));
        meters.push(1959.0);
        assert!(!best_of(&meters).is_steady(&meters));
        assert!(!best_of(&meters[..4]).is_steady(&meters[..4]));
    }

    #[test]
    fn rounds_below_the_best_are_dropped() {
        let best = best_of(&[2000.0, 2000.0]);
        let (clocks, counts) = Clocks::new(&[2000.0, 1941.0, 1939.0, 1990.0], best);
        assert_eq!(counts, [true, true, false, true]);
        assert_eq!((clocks.mhz, clocks.dropped), (1990.0, 1));
        assert!(!clocks.are_low && (clocks.spread - 61.0 / 1990.0).abs() < 1e-9);
    }

    #[test]
    fn a_row_is_low_if_more_than_a_third_of_its_rounds_is_dropped() {
        let best = best_of(&[2000.0, 2000.0]);
        let of = |low: usize, high: usize| {
            Clocks::new(&[vec![900.0; low], vec![2000.0; high]].concat(), best).0
        };
        assert!(!of(1, 2).are_low);
        assert!(of(2, 3).are_low);
        assert_eq!(of(2, 3).mhz, 2000.0);
    }

    #[test]
    fn rounds_that_are_all_low_are_kept_and_marked() {
        let best = best_of(&[2000.0, 2000.0]);
        let (clocks, counts) = Clocks::new(&[900.0, 910.0, 905.0], best);
        assert_eq!(counts, [true; 3]);
        assert_eq!((clocks.mhz, clocks.dropped), (905.0, 3));
        assert!(clocks.are_low);
    }

    #[test]
    fn a_round_is_as_slow_as_the_slower_of_the_meters_beside_it() {
        assert_eq!(
            of_rounds(&[2000.0, 1900.0, 1950.0, 2000.0]),
            [1900.0, 1900.0, 1950.0]
        );
    }

    #[test]
    fn gpus_are_warm_at_steady_clocks_or_after_three_seconds() {
        let ms = Duration::from_millis;
        let gpu = Profile::of(false, true);
        assert!(!gpu.is_warm(ms(299), 1000, 8, true));
        assert!(gpu.is_warm(ms(300), 1000, 8, true));
        assert!(!gpu.is_warm(ms(2999), 1000, 8, false));
        assert!(gpu.is_warm(ms(3000), 1000, 8, false));
        assert!(!gpu.is_warm(ms(5000), 7, 8, true));
        let by_the_wall = Profile::of(false, false);
        assert!(!by_the_wall.meters && by_the_wall.is_warm(ms(300), 8, 8, false));
    }

    #[test]
    fn software_adapters_have_no_meter_and_are_warm_soon() {
        let ms = Duration::from_millis;
        let software = Profile::of(true, true);
        assert_eq!(software, Profile::SOFTWARE);
        assert!(!software.is_warm(ms(10), 49, 1, false));
        assert!(software.is_warm(ms(10), 50, 1, false));
        assert!(software.is_warm(ms(200), 2, 1, false));
        assert!(!software.is_warm(ms(900), 1, 1, false));
    }
}
