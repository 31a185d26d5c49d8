//! Agents and clients that others have written, directly and through the guard.

mod chat;
mod claude;
mod example;
mod opencode;
mod ours;
mod programs;
mod sdks;
mod transcript;
