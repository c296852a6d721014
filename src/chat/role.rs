//! The closed table of roles: each name stands here once, for reading and for writing.

/// What a message is: who speaks, a record of a run, or a directive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    System,
    Developer,
    User,
    Assistant,
    FunctionCall,
    FunctionCallOutput,
    Reasoning,
    Meta,
    Directive(Keyword),
}

/// The directives: what a person writes that is not said to the model as it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Keyword {
    Image,
    Pdf,
    Skip,
    File,
    Directory,
    Import,
    Continue,
    Last,
    Cmd,
    Task,
    InlineTask,
    ExecTask,
    Job,
    InlineJob,
    Step,
    Introduce,
    Tool,
    Mcp,
    Kb,
    Association,
    Socialize,
    Delegate,
    SelectTools,
    ClearTools,
    ClearAssociations,
    Websearch,
    AllowPath,
    AllowReadPath,
    Option,
    StickyOption,
    Endpoint,
    Model,
    Backend,
    Agent,
    Format,
    Persist,
    PreviousResponseId,
    Config,
    Clear,
    ClearRole,
    CleanRole,
}

/// Every role with its name, in the order of the tables of `docs/FORMAT.md`.
const NAMES: [(&str, Role); 49] = [
    ("system", Role::System),
    ("developer", Role::Developer),
    ("user", Role::User),
    ("assistant", Role::Assistant),
    ("image", Role::Directive(Keyword::Image)),
    ("pdf", Role::Directive(Keyword::Pdf)),
    ("function_call", Role::FunctionCall),
    ("function_call_output", Role::FunctionCallOutput),
    ("reasoning", Role::Reasoning),
    ("meta", Role::Meta),
    ("skip", Role::Directive(Keyword::Skip)),
    ("file", Role::Directive(Keyword::File)),
    ("directory", Role::Directive(Keyword::Directory)),
    ("import", Role::Directive(Keyword::Import)),
    ("continue", Role::Directive(Keyword::Continue)),
    ("last", Role::Directive(Keyword::Last)),
    ("cmd", Role::Directive(Keyword::Cmd)),
    ("task", Role::Directive(Keyword::Task)),
    ("inline_task", Role::Directive(Keyword::InlineTask)),
    ("exec_task", Role::Directive(Keyword::ExecTask)),
    ("job", Role::Directive(Keyword::Job)),
    ("inline_job", Role::Directive(Keyword::InlineJob)),
    ("step", Role::Directive(Keyword::Step)),
    ("introduce", Role::Directive(Keyword::Introduce)),
    ("tool", Role::Directive(Keyword::Tool)),
    ("mcp", Role::Directive(Keyword::Mcp)),
    ("kb", Role::Directive(Keyword::Kb)),
    ("association", Role::Directive(Keyword::Association)),
    ("socialize", Role::Directive(Keyword::Socialize)),
    ("delegate", Role::Directive(Keyword::Delegate)),
    ("select_tools", Role::Directive(Keyword::SelectTools)),
    ("clear_tools", Role::Directive(Keyword::ClearTools)),
    (
        "clear_associations",
        Role::Directive(Keyword::ClearAssociations),
    ),
    ("websearch", Role::Directive(Keyword::Websearch)),
    ("allow_path", Role::Directive(Keyword::AllowPath)),
    ("allow_read_path", Role::Directive(Keyword::AllowReadPath)),
    ("option", Role::Directive(Keyword::Option)),
    ("sticky_option", Role::Directive(Keyword::StickyOption)),
    ("endpoint", Role::Directive(Keyword::Endpoint)),
    ("model", Role::Directive(Keyword::Model)),
    ("backend", Role::Directive(Keyword::Backend)),
    ("agent", Role::Directive(Keyword::Agent)),
    ("format", Role::Directive(Keyword::Format)),
    ("persist", Role::Directive(Keyword::Persist)),
    (
        "previous_response_id",
        Role::Directive(Keyword::PreviousResponseId),
    ),
    ("config", Role::Directive(Keyword::Config)),
    ("clear", Role::Directive(Keyword::Clear)),
    ("clear_role", Role::Directive(Keyword::ClearRole)),
    ("clean_role", Role::Directive(Keyword::CleanRole)),
];

impl Role {
    /// Every role, in the order of the tables of `docs/FORMAT.md`.
    pub fn all() -> impl Iterator<Item = Role> {
        NAMES.iter().map(|(_, role)| *role)
    }

    /// Finds the role that is written as `name`: lower case, no colon.
    pub fn from_name(name: &str) -> Option<Role> {
        NAMES
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, role)| *role)
    }

    /// Gives the name under which the role is written.
    pub fn name(self) -> &'static str {
        NAMES
            .iter()
            .find(|(_, known)| *known == self)
            .map(|(name, _)| *name)
            .expect("the table holds every role, which a test checks")
    }

    /// Tells whether the message is said in the conversation: `system`, `developer`, `user` or
    /// `assistant`.
    pub fn is_conversation(self) -> bool {
        matches!(
            self,
            Role::System | Role::Developer | Role::User | Role::Assistant
        )
    }
}

impl std::fmt::Display for Role {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
