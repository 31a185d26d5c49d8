//! The test of this package reads every example message with the official types and with ours.
