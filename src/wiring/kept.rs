//! Files that outputs name, read from the folder of their chat.

use std::path::{Component, Path, PathBuf};

use tokio_util::sync::CancellationToken;

use super::needs::{ReadLimits, lies_below};
use crate::chat::Diagnostic;
use crate::plan::{KeptFile, KeptFound, Loss, Media, Plan, Trust};
use crate::world::chat_folder::folder_of_chat;
use crate::world::files::{self, FileError};

/// Puts the media that outputs name beside them, and gives warnings of those that cannot be had.
pub async fn show_kept(plan: &mut Plan, cancel: &CancellationToken) -> Vec<Diagnostic> {
    let wanted = plan.kept_files();
    if wanted.is_empty() {
        return Vec::new();
    }
    // Read on a thread of its own, so that a slow disk does not hold up Ctrl-C.
    let files = wanted.clone();
    let reading =
        tokio::task::spawn_blocking(move || files.iter().map(read).collect::<Vec<KeptFound>>());
    let found = tokio::select! {
        found = reading => found,
        () = cancel.cancelled() => return Vec::new(),
    };
    let found = found.unwrap_or_else(|error| {
        let loss = Loss::Unreadable(format!("reading ended early: {error}"));
        vec![KeptFound::Lost(loss); wanted.len()]
    });
    plan.show_kept(&wanted.into_iter().zip(found).collect())
}

fn read(file: &KeptFile) -> KeptFound {
    match bytes(file) {
        Ok(bytes) => match Media::of_bytes(file.name.clone(), bytes) {
            Some(media) => KeptFound::Media(media),
            None => KeptFound::Other,
        },
        Err(loss) => KeptFound::Lost(loss),
    }
}

fn bytes(file: &KeptFile) -> Result<Vec<u8>, Loss> {
    let outside = || Loss::Unreadable("it lies outside of the folder of its chat".to_owned());
    let inside = inside(&file.name).ok_or_else(outside)?;
    let folder = folder_of_chat(&file.chat);
    let path = folder.join(inside);
    let limit = ReadLimits::default().media;
    let read = match file.trust {
        Trust::Trusted => files::read_beneath(&folder, &path, limit),
        // The folder itself may be a link that leads somewhere else.
        Trust::Confined => {
            let beside = file.chat.parent().unwrap_or(Path::new(""));
            if files::kind(&path).is_some() && !lies_below(&path, &folder) {
                return Err(outside());
            }
            files::read_beneath(beside, &path, limit)
        }
    };
    match read {
        Ok((bytes, _)) => Ok(bytes),
        Err(FileError::Missing { .. }) => Err(Loss::Gone),
        Err(FileError::Outside { .. }) => Err(outside()),
        Err(
            error @ (FileError::Denied { .. }
            | FileError::IsFolder { .. }
            | FileError::Special { .. }
            | FileError::TooLarge { .. }
            | FileError::Text { .. }
            | FileError::Io { .. }),
        ) => Err(Loss::Unreadable(error.to_string())),
    }
}

/// Gives the part of a name behind `CHAT.files/`. The chat may have another name by now, and its
/// folder with it, so which chat that is does not matter.
fn inside(name: &str) -> Option<PathBuf> {
    let mut names = Vec::new();
    for part in Path::new(name).components() {
        match part {
            Component::Normal(name) => names.push(name),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    let (folder, rest) = names.split_first()?;
    let is_kept = folder.as_encoded_bytes().ends_with(b".files") && !rest.is_empty();
    is_kept.then(|| rest.iter().collect())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::inside;

    #[test]
    fn only_names_in_the_folder_of_a_chat_are_taken() {
        for (name, rest) in [
            ("chat.md.files/a.png", Some("a.png")),
            ("./old.md.files/b/a.png", Some("b/a.png")),
            ("chat.md.files", None),
            ("a.png", None),
            ("secret/a.png", None),
            ("chat.md.files/../a.png", None),
            ("../chat.md.files/a.png", None),
            ("/chat.md.files/a.png", None),
            ("", None),
        ] {
            assert_eq!(inside(name).as_deref(), rest.map(Path::new), "{name}");
        }
    }
}
