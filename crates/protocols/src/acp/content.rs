//! What prompts and answers consist of.

use super::Raw;

words! {
    /// Whom content is for.
    pub enum Role {
        /// The model.
        Assistant = "assistant",
        /// The user.
        User = "user",
    }
}

record! {
    /// Hints on how to use content.
    pub struct Annotations {
        optional {
            /// Whom it is for.
            audience: Vec<Role> = "audience",
            /// When it was changed last, in ISO 8601.
            last_modified: String = "lastModified",
            /// How important it is, a number from 0 to 1.
            priority: Raw = "priority",
        }
    }
}

union! {
    /// A piece of content. Every agent takes text and links; the others need a capability.
    pub enum ContentBlock by "type" {
        /// Text, which may be Markdown.
        Text(TextContent) = "text",
        /// An image.
        Image(ImageContent) = "image",
        /// A sound.
        Audio(AudioContent) = "audio",
        /// Something that the other side can read itself.
        ResourceLink(ResourceLink) = "resource_link",
        /// A file or the like, with its contents.
        Resource(EmbeddedResource) = "resource",
    }
}

impl ContentBlock {
    /// A text.
    pub fn text(text: impl Into<String>) -> ContentBlock {
        ContentBlock::Text(TextContent::new(text))
    }

    /// The text of a text block.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            ContentBlock::Text(content) => Some(&content.text),
            _ => None,
        }
    }
}

record! {
    /// Text.
    pub struct TextContent {
        required {
            /// The text.
            text: String = "text",
        }
        optional {
            /// Hints.
            annotations: Annotations = "annotations",
        }
    }
}

record! {
    /// An image.
    pub struct ImageContent {
        required {
            /// The bytes in base64.
            data: String = "data",
            /// Their type, such as `image/png`.
            mime_type: String = "mimeType",
        }
        optional {
            /// Where it is from.
            uri: String = "uri",
            /// Hints.
            annotations: Annotations = "annotations",
        }
    }
}

record! {
    /// A sound.
    pub struct AudioContent {
        required {
            /// The bytes in base64.
            data: String = "data",
            /// Their type, such as `audio/wav`.
            mime_type: String = "mimeType",
        }
        optional {
            /// Hints.
            annotations: Annotations = "annotations",
        }
    }
}

record! {
    /// A link to something that the other side can read itself.
    pub struct ResourceLink {
        required {
            /// Where it is.
            uri: String = "uri",
            /// What it is called.
            name: String = "name",
        }
        optional {
            /// Its type.
            mime_type: String = "mimeType",
            /// A name for people.
            title: String = "title",
            /// What it is.
            description: String = "description",
            /// Its size in bytes.
            size: i64 = "size",
            /// Hints.
            annotations: Annotations = "annotations",
        }
    }
}

record! {
    /// A file or the like, with its contents.
    pub struct EmbeddedResource {
        required {
            /// The contents.
            resource: ResourceContents = "resource",
        }
        optional {
            /// Hints.
            annotations: Annotations = "annotations",
        }
    }
}

record! {
    /// Contents: either `text` or `blob`.
    pub struct ResourceContents {
        required {
            /// Where they are from.
            uri: String = "uri",
        }
        optional {
            /// Text.
            text: String = "text",
            /// Bytes in base64.
            blob: String = "blob",
            /// Their type.
            mime_type: String = "mimeType",
        }
    }
}
