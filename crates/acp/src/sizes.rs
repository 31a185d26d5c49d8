//! How large the params of a call may be: one rule for the guard, for agents and for clients.

use serde_json::json;
use tenon_protocols::acp::{ContentBlock, Entry, Failure, Profile, PromptParams};
use tenon_rpc::{Payload, RpcError};

/// As much as the images and sounds of a prompt may take, as they are written in it.
const MEDIA: usize = 32 * 1024 * 1024;

/// Params that are too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLarge {
    /// The images and sounds of a prompt, not the rest.
    pub(crate) is_media: bool,
    pub(crate) size: usize,
    pub(crate) limit: usize,
}

impl TooLarge {
    /// The answer to a call with such params.
    pub(crate) fn error(self, entry: &Entry, profile: Profile) -> RpcError {
        let TooLarge {
            is_media,
            size,
            limit,
        } = self;
        let reason = match is_media {
            true => "media_too_large",
            false => "message_too_large",
        };
        let data = json!({ "reason": reason, "method": entry.name, "limit": limit, "size": size });
        Failure::InvalidRequest.error(profile, data)
    }
}

/// Checks the size of params.
///
/// # Errors
/// They are larger than the method allows. The images and sounds of a prompt have a limit of their own, because one screenshot
/// is larger than the limit of the message specification; in its profile they count as text.
pub(crate) fn check_params(
    entry: &Entry,
    params: Option<&Payload>,
    profile: Profile,
) -> Result<(), TooLarge> {
    let size = params.map_or(0, |params| params.bytes().len());
    let Some((limit, params)) = { entry.size }.filter(|limit| size > *limit).zip(params) else {
        return Ok(());
    };
    let media = match (profile, entry.name) {
        (Profile::V1, "session/prompt") => size_of_media(params),
        _ => 0,
    };
    let text = size.saturating_sub(media);
    match () {
        () if media > MEDIA => Err(TooLarge {
            is_media: true,
            size: media,
            limit: MEDIA,
        }),
        () if text > limit => Err(TooLarge {
            is_media: false,
            size: text,
            limit,
        }),
        () => Ok(()),
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
