//! How large a call may be.

use serde_json::json;
use tenon_protocols::acp::{ContentBlock, Entry, Failure, Profile, PromptParams};
use tenon_rpc::{Payload, RpcError};

use super::state::Shared;

/// As much as the images and sounds of a prompt may take, as they are written in it.
const MEDIA: usize = 32 * 1024 * 1024;

impl Shared {
    pub(super) fn check_size_of(
        &self,
        entry: &Entry,
        params: Option<&Payload>,
    ) -> Result<(), RpcError> {
        let size = params.map_or(0, |params| params.bytes().len());
        let Some((limit, params)) = { entry.size }.filter(|limit| size > *limit).zip(params) else {
            return Ok(());
        };
        let too_large = |what: &str, limit: usize, size: usize| {
            let data =
                json!({ "reason": what, "method": entry.name, "limit": limit, "size": size });
            Err(Failure::InvalidRequest.error(self.profile, data))
        };
        // The limit of a prompt is about text. One screenshot is larger.
        let media = match (self.profile, entry.name) {
            (Profile::V1, "session/prompt") => size_of_media(params),
            _ => 0,
        };
        match () {
            () if media > MEDIA => too_large("media_too_large", MEDIA, media),
            () if size.saturating_sub(media) > limit => {
                too_large("message_too_large", limit, size - media)
            }
            () => Ok(()),
        }
    }
}

/// The size of the images and sounds in a prompt.
fn size_of_media(params: &Payload) -> usize {
    let Ok(params) = params.decode_private::<PromptParams>() else {
        return 0;
    };
    let size = |block: &ContentBlock| match block {
        ContentBlock::Image(image) => image.data.len(),
        ContentBlock::Audio(audio) => audio.data.len(),
        _ => 0,
    };
    params.prompt.iter().map(size).sum()
}
