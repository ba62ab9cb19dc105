//! Small models, built by hand.
