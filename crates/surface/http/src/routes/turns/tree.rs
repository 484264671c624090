//! `/v1/turns/{id}/fs`: what the files looked like when a turn was written.

use axum::http::{HeaderMap, Method};
use axum::response::{IntoResponse, Response};
use cairn_base::{Base64, TurnId};
use cairn_engine::TreePath;
use cairn_gate::Share;
use cairn_turns::{Entry, Found, TreeObject};
use cairn_wire::trees::{EntryObject, FileObject, Folder};

use super::media_type;
use crate::call::Call;
use crate::content::Content;
use crate::content_type::RawBytes;
use crate::error::ErrorBody;
use crate::held::HeldJson;
use crate::params::{Params, invalid};
use crate::{ApiError, limits};

/// What a byte of a tree object takes in memory: as entries, and as JSON.
const TREE_BYTE_COSTS: u64 = 6;

/// Entries of a folder in a turn's file tree
///
/// A turn that has no tree has that of the nearest turn before it which has one.
#[utoipa::path(
    get,
    path = "/v1/turns/{id}/fs",
    tag = "turns",
    params(
        ("id" = String, Path, pattern = "^[0-9]{1,20}$", example = "1", description = "The turn's number"),
        ("path" = Option<String>, Query, description = "The folder; the root if not said"),
    ),
    responses(
        (status = 200, description = "The entries", body = Folder),
        (status = 404, description = "There is no such turn, tree or folder", body = ErrorBody),
        (status = 422, description = "The path leads to a file", body = ErrorBody),
    )
)]
pub(super) async fn list(call: Call, params: Params) -> Result<Response, ApiError> {
    let turn = params.turn_id()?;
    let path = params.text("path")?.unwrap_or("").to_owned();
    let (tree, share) = find(&call, turn, &path).await?;
    match tree.found {
        Found::Folder(_, ref folder) => Ok(listing(turn, &path, &tree, folder, share)),
        Found::Leaf(entry) => {
            let message = format!("{path:?} is a {}, and no folder", entry.kind.name());
            let hint = "read it at /v1/turns/{id}/fs/{path}";
            Err(invalid(message).detail("kind", entry.kind.name()).detail("hint", hint))
        }
    }
}

/// A file in a turn's file tree
///
/// Its bytes, with `X-Fs-Hash` and `X-Fs-Mode`; those of a symbolic link are the path that it leads to.
/// With `format=json` an object with all of it; a folder is listed. Supports `Range` and `If-None-Match`.
#[utoipa::path(
    get,
    path = "/v1/turns/{id}/fs/{path}",
    tag = "turns",
    params(
        ("id" = String, Path, pattern = "^[0-9]{1,20}$", example = "1", description = "The turn's number"),
        ("path" = String, Path, description = "The file's path, which may have slashes"),
        ("format" = Option<String>, Query, description = "`json` for an object; bytes if not said"),
    ),
    responses(
        (status = 200, description = "The file", body = RawBytes, content_type = "application/octet-stream"),
        (status = 206, description = "The bytes that were asked for", body = RawBytes, content_type = "application/octet-stream"),
        (status = 304, description = "The client has it already"),
        (status = 404, description = "There is no such turn, tree or file", body = ErrorBody),
        (status = 413, description = "The file is too large for JSON", body = ErrorBody),
        (status = 416, description = "The file has no such range", body = ErrorBody),
    )
)]
pub(super) async fn get(
    call: Call,
    params: Params,
    method: Method,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let turn = params.turn_id()?;
    let as_json = params.choice("format", &[("bytes", false), ("json", true)])?;
    let path = params.in_path("path");
    let (tree, share) = find(&call, turn, path).await?;
    match tree.found {
        Found::Folder(_, ref folder) => Ok(listing(turn, path, &tree, folder, share)),
        Found::Leaf(entry) if as_json => file_as_json(&call, turn, path, entry).await,
        Found::Leaf(entry) => {
            Content::of_file(entry.hash, media_type::of(&entry.name))
                .header("x-fs-hash", &entry.hash.to_string())
                .header("x-fs-mode", &format!("{:o}", entry.mode))
                .answer_blob(entry.hash, &call, &method, &headers)
                .await
        }
    }
}

async fn find(call: &Call, turn: TurnId, path: &str) -> Result<(TreePath, Share), ApiError> {
    let memory = call.app.memory.clone();
    let path = path.to_owned();
    call.read(move |engine, principal| {
        let (mut share, mut read) = (None, 0);
        let mut begin = |bytes: u64| {
            read += bytes * TREE_BYTE_COSTS;
            memory.grow(&mut share, read)
        };
        let tree = engine.tree_path(principal, principal.tenant(), turn, &path, &mut begin)?;
        Ok((tree, share))
    })
    .await
}

fn listing(turn: TurnId, path: &str, tree: &TreePath, folder: &TreeObject, share: Share) -> Response {
    let folder = Folder {
        turn_id: turn,
        path: path.to_owned(),
        fs_root_hash: tree.root.to_string(),
        entries: folder.entries.iter().map(entry_to_wire).collect(),
    };
    HeldJson::new(&folder, share).into_response()
}

async fn file_as_json(call: &Call, turn: TurnId, path: &str, entry: Entry) -> Result<Response, ApiError> {
    let memory = call.app.memory.clone();
    let path = path.to_owned();
    let answer = call.read(move |engine, principal| {
        let mut share = None;
        // As it is read, as base64, and as JSON.
        let begin = |bytes: u64| memory.grow(&mut share, bytes * 4).map(|()| Vec::new());
        let max = limits::HTTP_TURNS_PAGE_BYTES_MAX as u64;
        let content = engine.whole_blob(principal, principal.tenant(), &entry.hash, max, begin)?;
        let content = content.ok_or(cairn_turns::TurnsError::NoBlob(entry.hash))?;
        let file = FileObject {
            turn_id: turn,
            path,
            entry: entry_to_wire(&entry),
            content_base64: Base64(&content).to_string(),
        };
        Ok(HeldJson::new(&file, share))
    });
    Ok(answer.await?.into_response())
}

fn entry_to_wire(entry: &Entry) -> EntryObject {
    EntryObject {
        name: entry.name.clone(),
        kind: entry.kind.name().to_owned(),
        mode: format!("{:o}", entry.mode),
        size: entry.size,
        hash: entry.hash.to_string(),
    }
}
