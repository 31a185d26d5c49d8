//! A session: what is known about it, and what can be changed.

use std::path::Path;
use std::sync::Arc;

use tenon_protocols::acp::{
    CloseSession, Command, ConfigCategory, ConfigOption, ConfigValue, ContentBlock, Models, Modes,
    PromptParams, SessionParams, SessionUpdate, SetConfigOption, SetConfigOptionParams, SetMode,
    SetModeParams, SetModel, SetModelParams, TerminalOutput, Usage,
};

use super::Core;
use super::error::ClientError;
use super::session_state::State;
use super::turn::{self, Turn};

/// A conversation with an agent in a folder.
#[derive(Clone, Debug)]
pub struct Session {
    core: Arc<Core>,
    state: Arc<State>,
}

/// What the agent has said about a session.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct About {
    /// Its modes, if it has some.
    pub modes: Option<Modes>,
    /// Its models, if it has some.
    pub models: Option<Models>,
    /// Its options. If there are some about modes or models, those are used.
    pub config_options: Option<Vec<ConfigOption>>,
    /// The commands of the agent.
    pub commands: Vec<Command>,
    /// Its title.
    pub title: Option<String>,
    /// How much of the context is used.
    pub usage: Option<Usage>,
}

impl About {
    pub(super) fn note(&mut self, update: &SessionUpdate) {
        match update {
            SessionUpdate::AvailableCommandsUpdate(update) => {
                self.commands.clone_from(&update.available_commands);
            }
            SessionUpdate::CurrentModeUpdate(update) => {
                if let Some(modes) = &mut self.modes {
                    modes.current_mode_id.clone_from(&update.current_mode_id);
                }
            }
            SessionUpdate::ConfigOptionUpdate(update) => {
                self.config_options = Some(update.config_options.clone());
            }
            SessionUpdate::SessionInfoUpdate(update)
                if update.title.is_some() || update.rest.is_null("title") =>
            {
                self.title.clone_from(&update.title);
            }
            SessionUpdate::UsageUpdate(usage) => self.usage = Some(usage.clone()),
            _ => {}
        }
    }

    /// The id of the option about this, if there is one.
    fn option_about(&self, category: &ConfigCategory) -> Option<String> {
        let options = self.config_options.iter().flatten();
        options.into_iter().find_map(|option| match option {
            ConfigOption::Select(option) => {
                (option.category.as_ref() == Some(category)).then(|| option.id.clone())
            }
            _ => None,
        })
    }
}

impl Session {
    pub(super) fn new(core: Arc<Core>, state: Arc<State>) -> Session {
        Session { core, state }
    }

    /// Its id: any text.
    pub fn id(&self) -> &str {
        &self.state.id
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        self.state.folder()
    }

    /// What the agent has said about it.
    pub fn about(&self) -> About {
        self.state.inner().about.clone()
    }

    /// An update that came outside of a turn, if there is one. In a turn, [`Turn::next`] returns them.
    pub fn try_next(&self) -> Option<SessionUpdate> {
        match self.state.is_streaming() {
            true => None,
            false => self.state.pop(),
        }
    }

    /// Waits for an update that comes outside of a turn. The future can be dropped without losing one.
    pub async fn next(&self) -> SessionUpdate {
        loop {
            if let Some(update) = self.try_next() {
                return update;
            }
            self.state.changed.notified().await;
        }
    }

    /// How many updates were dropped because they were not read outside of a turn. What they said about the session is
    /// in [`about`](Session::about) all the same.
    pub fn missed(&self) -> u64 {
        self.state.inner().missed
    }

    /// Begins a turn. Text and links can always be sent; images, sounds and resources if the agent supports them.
    ///
    /// # Errors
    /// The session has a turn already, the agent does not support some of the content, or it is gone.
    pub async fn prompt(&self, prompt: Vec<ContentBlock>) -> Result<Turn, ClientError> {
        for block in &prompt {
            self.check(block)?;
        }
        if !self.state.begin() {
            return Err(ClientError::Busy);
        }
        let params = PromptParams::new(self.state.id.clone(), prompt);
        Turn::begin(self.core.clone(), self.state.clone(), &params).await
    }

    fn check(&self, block: &ContentBlock) -> Result<(), ClientError> {
        let stated = self.core.capabilities();
        let stated = stated.and_then(|all| all.prompt_capabilities.as_ref());
        let is = |member: Option<Option<bool>>| member.flatten() == Some(true);
        let (is_supported, what, needed) = match block {
            ContentBlock::Image(_) => (
                is(stated.map(|all| all.image)),
                "images in prompts",
                "promptCapabilities.image",
            ),
            ContentBlock::Audio(_) => (
                is(stated.map(|all| all.audio)),
                "sounds in prompts",
                "promptCapabilities.audio",
            ),
            ContentBlock::Resource(_) => (
                is(stated.map(|all| all.embedded_context)),
                "files in prompts",
                "promptCapabilities.embeddedContext",
            ),
            _ => return Ok(()),
        };
        match is_supported {
            true => Ok(()),
            false => Err(ClientError::Unsupported(what, needed)),
        }
    }

    /// The end of what a program of the session has printed, also after the agent has released its terminal: tool calls
    /// refer to it. Nothing if there is no such terminal, or too many came after it.
    pub fn terminal_output(&self, terminal_id: &str) -> Option<TerminalOutput> {
        self.state.terminals.output_of(terminal_id)
    }

    /// Changes the mode: by the option about modes if there is one, otherwise by `session/set_mode`.
    ///
    /// # Errors
    /// The agent has no such mode, or the call failed.
    pub async fn set_mode(&self, mode: &str) -> Result<(), ClientError> {
        if let Some(option) = self.about().option_about(&ConfigCategory::Mode) {
            return self.set_config_option(&option, mode).await;
        }
        let params = SetModeParams::new(self.state.id.clone(), mode);
        self.core.call(SetMode, params).await?;
        if let Some(modes) = &mut self.state.inner().about.modes {
            mode.clone_into(&mut modes.current_mode_id);
        }
        Ok(())
    }

    /// Changes the model: by the option about models if there is one, otherwise by `session/set_model`.
    ///
    /// # Errors
    /// The agent has no such model, or the call failed.
    pub async fn set_model(&self, model: &str) -> Result<(), ClientError> {
        if let Some(option) = self.about().option_about(&ConfigCategory::Model) {
            return self.set_config_option(&option, model).await;
        }
        let params = SetModelParams::new(self.state.id.clone(), model);
        self.core.call(SetModel, params).await?;
        if let Some(models) = &mut self.state.inner().about.models {
            model.clone_into(&mut models.current_model_id);
        }
        Ok(())
    }

    /// Changes an option: to one of its values, or on or off.
    ///
    /// # Errors
    /// The agent has no such option or value, or the call failed.
    pub async fn set_config_option(
        &self,
        option: &str,
        value: impl Into<ConfigValue>,
    ) -> Result<(), ClientError> {
        let value = value.into();
        let is_flag = matches!(value, ConfigValue::Flag(_));
        let params = SetConfigOptionParams {
            value_type: is_flag.then(|| "boolean".to_owned()),
            ..SetConfigOptionParams::new(self.state.id.clone(), option, value)
        };
        let answer = self.core.call(SetConfigOption, params).await?;
        self.state.inner().about.config_options = Some(answer.config_options);
        Ok(())
    }

    /// Ends the session: its turn is cancelled and its terminals are ended. The agent is notified if it supports it.
    ///
    /// # Errors
    /// The call failed.
    pub async fn close(&self) -> Result<(), ClientError> {
        if self.state.is_streaming() {
            turn::cancel(&self.core.peer, &self.state);
        }
        self.core.shared.forget(&self.state.id);
        self.state.terminals.end_all().await;
        if !self.core.can(|all| all.close.is_some()) {
            return Ok(());
        }
        let params = SessionParams::new(self.state.id.clone());
        self.core.call(CloseSession, params).await.map(drop)
    }
}
