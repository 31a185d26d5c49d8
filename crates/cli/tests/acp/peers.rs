//! Agents and clients that others have written, directly and through the guard.

mod claude;
mod opencode;
mod ours;
mod programs;
mod sdks;
mod transcript;
