//! Plugins as scripts of denobridge, over connections in memory.

#[path = "denobridge/accounts.rs"]
mod accounts;
#[path = "denobridge/answers.rs"]
mod answers;
#[path = "denobridge/conversation.rs"]
mod conversation;
#[path = "denobridge/life.rs"]
mod life;
#[path = "denobridge/refusals.rs"]
mod refusals;
