//! Remembers a short conversation, takes it up again at an earlier point, and reads both back.
//!
//! `cargo run -p cairn-binary --example remember [ADDRESS]`, with a server that runs (`cargo xtask serve`).

use std::process::ExitCode;

use cairn_base::{MsgpackReader, Token};
use cairn_binary::client::{AppendTurn, Client, ClientConfig, ClientError, ContextId, TurnRecord};

#[tokio::main]
async fn main() -> ExitCode {
    let addr = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:9009".to_owned());
    match remember(&addr).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn remember(addr: &str) -> Result<(), ClientError> {
    let config = ClientConfig { tag: "remember".into(), ..ClientConfig::default() };
    let client = Client::connect(addr, config).await?;

    let context = client.create_context().await?.context;
    say(&client, context, "user", "Which mountain shall we climb?").await?;
    let question = say(&client, context, "assistant", "Sunny side or steep side?").await?;
    say(&client, context, "user", "The sunny side.").await?;

    // The same history up to the question, and another answer to it.
    let other = client.fork(question).await?.context;
    say(&client, other, "user", "The steep side!").await?;

    for context in [context, other] {
        println!("context {context}");
        for turn in client.last(context, 100, true).await? {
            println!("  {}", shown(&turn));
        }
    }
    Ok(())
}

async fn say(
    client: &Client,
    context: ContextId,
    role: &str,
    text: &str,
) -> Result<cairn_binary::client::TurnId, ClientError> {
    let payload = message(&[("role", role), ("text", text)]);
    let appended = client.append(AppendTurn::new(context, "example.Message", 1, payload)).await?;
    Ok(appended.turn)
}

/// A map of texts in MessagePack.
fn message(fields: &[(&str, &str)]) -> Vec<u8> {
    let count = u16::try_from(fields.len()).expect("a message has a few fields");
    let mut out = vec![0xde];
    out.extend(count.to_be_bytes());
    for text in fields.iter().flat_map(|(name, value)| [name, value]) {
        out.push(0xdb);
        out.extend(u32::try_from(text.len()).expect("texts are short").to_be_bytes());
        out.extend(text.as_bytes());
    }
    out
}

/// A turn on one line.
fn shown(turn: &TurnRecord) -> String {
    let mut reader = MsgpackReader::new(turn.payload.as_deref().unwrap_or_default());
    let mut texts = Vec::new();
    while let Ok(token) = reader.token() {
        if let Token::Text(text) = token {
            texts.push(String::from_utf8_lossy(text));
        }
    }
    let fields: Vec<String> = texts.chunks(2).map(|pair| pair.join(": ")).collect();
    format!("{:>2}. turn {} {}: {}", turn.depth + 1, turn.turn, turn.type_id, fields.join(", "))
}
