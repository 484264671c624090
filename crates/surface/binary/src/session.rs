//! One connection: a frame in, a frame out.

use std::net::SocketAddr;

use cairn_access::{Principal, TrustedUser};
use cairn_base::{TenantId, TurnId};
use cairn_engine::{
    AppendTurn, Connection, Engine, EngineError, Prepared, SessionHandle, SessionId, TurnPayload, Window,
    WindowAt, WindowTurns,
};
use cairn_gate::{Admission, Caller, Cost, Credentials, Gate, GateError, Seat};
use cairn_seam::{Blob, StoreError};
use cairn_turns::registry::Bundle;
use cairn_turns::{DeclaredType, IdempotencyKey, TurnsError};

use crate::answer::Answer;
use crate::error::WireError;
use crate::fields::{Body, Put};
use crate::frame::{HEADER_BYTES, Header, MessageType, PROTOCOL_VERSION};
use crate::memory::{Share, Shared};
use crate::request::{self, AttachTree, Hello, PutBlob, PutBundle};
use crate::serve::BinaryConfig;
use crate::{limits, payload};

/// Payloads longer than this are checked on a thread of their own: hashing them takes a while.
const IN_PLACE_BYTES: usize = 64 << 10;
/// What a turn takes in an answer besides its payload, roughly.
const TURN_BYTES: u64 = 128;
/// Room for the header of an answer and the count in front of its turns.
const ANSWER_OVERHEAD: usize = HEADER_BYTES + 64;

/// What a connection knows.
pub(crate) struct Session {
    gate: Gate,
    memory: Shared,
    connection: Connection,
    peer: Option<SocketAddr>,
    /// Whoever was let in.
    inside: Option<Inside>,
    /// How often somebody said in vain who they are.
    failures_outside: u32,
    /// As whom the client is let in if it shows nothing, and by which network.
    trusted: Option<(TrustedUser, String)>,
    refuses_tokens: bool,
}

/// Somebody who was let in.
struct Inside {
    caller: Caller,
    /// What others know of this connection, until it is dropped.
    presence: SessionHandle,
    /// The connection is counted as theirs.
    _seat: Seat,
}

impl Session {
    pub(crate) fn new(gate: Gate, memory: Shared, peer: Option<SocketAddr>, config: &BinaryConfig) -> Self {
        let connection = gate.engine().new_connection();
        let by_rule = |peer: SocketAddr| {
            let rule = config.trusted.as_ref()?;
            let network = rule.network_of(peer.ip())?;
            Some((rule.user.clone(), format!("{network}: {}", peer.ip().to_canonical())))
        };
        let mut session = Session {
            gate,
            memory,
            connection,
            peer,
            inside: None,
            failures_outside: 0,
            trusted: peer.and_then(by_rule),
            refuses_tokens: peer.is_some_and(|peer| config.refuses_tokens(peer.ip())),
        };
        // Where nobody has to say who they are, everyone is in. Whoever a rule lets in may still say so.
        if session.trusted.is_none()
            && let Ok(caller) = session.identify(None)
            && !caller.principal().is_anonymous()
        {
            session.inside = session.enter(caller).ok();
        }
        session
    }

    /// Whether somebody was let in.
    pub(crate) fn is_inside(&self) -> bool {
        self.inside.is_some()
    }

    /// How long a frame may be now.
    pub(crate) fn frame_bytes_max(&self) -> usize {
        // A client that needs no HELLO may begin with any message.
        let may_send_anything = self.is_inside() || self.trusted.is_some();
        if may_send_anything { limits::BINARY_FRAME_BYTES_MAX } else { limits::HELLO_BYTES_MAX }
    }

    /// Whether somebody has tried often enough to say who they are.
    pub(crate) fn is_given_up(&self) -> bool {
        self.failures_outside >= limits::FAILED_HELLOS_MAX
    }

    fn identify(&self, bearer: Option<&str>) -> Result<Caller, WireError> {
        match (bearer, &self.trusted) {
            (Some(_), _) if self.refuses_tokens => return Err(WireError::TokenInTheOpen),
            (None, Some((user, from))) => return self.enter_trusted(user, from),
            (Some(_), _) | (None, None) => {}
        }
        let credentials = Credentials { is_local_owner: false, bearer, connection: self.connection };
        Ok(self.gate.identify(credentials)?)
    }

    /// The user of the rule: as it is now, and with a line in the trail only when the client comes in.
    fn enter_trusted(&self, user: &TrustedUser, from: &str) -> Result<Caller, WireError> {
        match &self.inside {
            Some(inside) => Ok(self.gate.identify_again(&inside.caller)?),
            None => Ok(self.gate.identify_trusted(user, from)?),
        }
    }

    fn enter(&self, caller: Caller) -> Result<Inside, WireError> {
        let seat = self.gate.seat(caller.principal())?;
        let peer = self.peer.map(|peer| peer.to_string());
        let presence = self.gate.engine().open_session(caller.principal().tenant(), peer);
        Ok(Inside { caller, presence, _seat: seat })
    }

    /// Somebody says hello, and who they are where that is asked for. Again they may do so for as long as
    /// they are the same: a JWT does not hold for long.
    fn hello(&mut self, hello: &Hello) -> Result<SessionId, WireError> {
        let token = hello.token();
        if token.is_some() {
            // Whoever shows something is nobody else, whatever becomes of that.
            self.trusted = None;
        }
        let caller = self.identify(token.as_ref().map(|token| token.as_str()))?;
        let before = self.inside.as_ref().map(|inside| inside.caller.principal());
        if caller.principal().is_anonymous() {
            return Err(self.gate.engine().refuse_anonymous().into());
        }
        let who = |principal: &Principal| (principal.tenant(), principal.user_id().to_owned());
        if before.is_some_and(|before| who(before) != who(caller.principal())) {
            return Err(WireError::SomebodyElse);
        }
        match &mut self.inside {
            Some(inside) => {
                // The first one is free.
                self.gate.spend(caller.principal(), Cost::READ)?;
                inside.caller = caller;
            }
            None => self.inside = Some(self.enter(caller)?),
        }
        let presence = &self.inside.as_ref().ok_or(WireError::SomebodyElse)?.presence;
        presence.hello(&hello.tag)?;
        Ok(presence.id())
    }

    /// Answers one request, whatever comes: a frame, and the memory it holds until it is sent.
    pub(crate) async fn answer(&mut self, header: &Header, body: &[u8]) -> (Vec<u8>, Share) {
        match self.handle(header, body).await {
            Ok(answer) => answer.into_frame(),
            Err(error) => {
                match &self.inside {
                    Some(inside) => inside.presence.failed(),
                    // Whatever is asked for outside is an attempt to come in.
                    None => self.failures_outside += 1,
                }
                if error.code().http() == 401 {
                    // Shut out: from here on it has little time, and no place among those who are inside.
                    self.inside = None;
                }
                Answer::error(header, &error).into_frame()
            }
        }
    }

    async fn handle(&mut self, header: &Header, body: &[u8]) -> Result<Answer, WireError> {
        let kind = MessageType::from_number(header.kind).ok_or(WireError::UnknownType(header.kind))?;
        if kind == MessageType::Hello {
            let session = self.hello(&Hello::parse(body)?)?;
            let mut answer = Answer::to(header);
            answer.greeting(session.0, PROTOCOL_VERSION);
            return Ok(answer);
        }
        if self.inside.is_none() && self.trusted.is_some() {
            self.inside = Some(self.enter(self.identify(None)?)?);
        }
        let Some(inside) = &mut self.inside else {
            return Err(self.gate.engine().refuse_anonymous().into());
        };
        // For every message: whoever was let in may have been shut out since.
        inside.caller = self.gate.identify_again(&inside.caller)?;
        inside.presence.touch();
        self.gate.spend(inside.caller.principal(), cost(kind).with_bytes(body.len() as u64))?;
        let admission = self.gate.admit().await?;
        let call = Call {
            gate: &self.gate,
            memory: &self.memory,
            presence: &inside.presence,
            admission: &admission,
            principal: inside.caller.principal().clone(),
            header,
        };
        match kind {
            MessageType::CreateContext | MessageType::ForkContext => call.create(body).await,
            MessageType::GetHead => call.head(body),
            MessageType::AppendTurn => call.append(body).await,
            MessageType::GetLast => call.window(request::Window::last(body)?).await,
            MessageType::GetBefore => call.window(request::Window::before(body)?).await,
            MessageType::GetRangeByDepth => call.window(request::Window::by_depth(body)?).await,
            MessageType::GetBlob => call.get_blob(body).await,
            MessageType::AttachTree => call.attach(body).await,
            MessageType::PutBlob => call.put_blob(body).await,
            MessageType::PutBundle => call.put_bundle(body).await,
            MessageType::Hello | MessageType::Error => Err(WireError::UnknownType(header.kind)),
        }
    }
}

/// What a message costs, besides its bytes.
fn cost(kind: MessageType) -> Cost {
    match kind {
        MessageType::CreateContext
        | MessageType::ForkContext
        | MessageType::AppendTurn
        | MessageType::AttachTree
        | MessageType::PutBlob
        | MessageType::PutBundle => Cost::WRITE,
        MessageType::GetHead
        | MessageType::GetLast
        | MessageType::GetBefore
        | MessageType::GetRangeByDepth
        | MessageType::GetBlob
        | MessageType::Hello
        | MessageType::Error => Cost::READ,
    }
}

/// One request that was let in.
struct Call<'a> {
    gate: &'a Gate,
    memory: &'a Shared,
    presence: &'a SessionHandle,
    admission: &'a Admission,
    principal: Principal,
    header: &'a Header,
}

impl Call<'_> {
    async fn write<T: Send + 'static>(
        &self,
        prepare: impl FnOnce(&Engine, &Principal, TenantId) -> Prepared<T>,
    ) -> Result<T, WireError> {
        let write = prepare(self.gate.engine(), &self.principal, self.principal.tenant());
        Ok(self.gate.write(self.admission, write).await?.value)
    }

    async fn create(&self, body: &[u8]) -> Result<Answer, WireError> {
        let base = TurnId(Body::new(body).u64("base_turn_id")?);
        let base = (base != TurnId::NONE).then_some(base);
        let create = |engine: &Engine, principal: &_, tenant| engine.create_context(principal, tenant, base);
        let context = self.write(create).await?;
        self.presence.works_on(context.id);
        let mut answer = Answer::to(self.header);
        answer.head(&context);
        Ok(answer)
    }

    fn head(&self, body: &[u8]) -> Result<Answer, WireError> {
        let context = cairn_base::ContextId(Body::new(body).u64("context_id")?);
        let head = |engine: &Engine| engine.head(&self.principal, self.principal.tenant(), context);
        let context = self.gate.read_in_place(self.admission, head)?;
        let mut answer = Answer::to(self.header);
        answer.head(&context);
        Ok(answer)
    }

    async fn append(&self, body: &[u8]) -> Result<Answer, WireError> {
        let sent = request::AppendTurn::parse(body, self.header.flags)?;
        let key = IdempotencyKey::parse(sent.key)?;
        let (compression, said, hash) = (sent.compression, sent.uncompressed_len, sent.hash);
        let payload = if sent.payload.len().max(said as usize) <= IN_PLACE_BYTES {
            Blob::new(payload::plain(compression, sent.payload, said)?)?
        } else {
            let bytes = sent.payload.to_vec();
            self.large_blob(move || payload::plain(compression, bytes, said)).await?
        };
        if payload.hash() != hash {
            return Err(WireError::WrongHash);
        }
        let turn = AppendTurn {
            context: sent.context,
            parent: sent.parent,
            expected_head: None,
            declared: DeclaredType { id: sent.type_id.to_owned(), version: sent.type_version },
            encoding: sent.encoding,
            compression,
            payload,
            tree: sent.tree,
            key,
        };
        let appended = self.write(|engine, principal, tenant| engine.append(principal, tenant, turn)).await?;
        let mut answer = Answer::to(self.header);
        self.presence.works_on(appended.turn.context);
        answer.appended(&appended.turn);
        Ok(answer)
    }

    /// Checks and hashes bytes on a thread where that may take a while; long ones go to disk there.
    async fn large_blob(
        &self,
        bytes: impl FnOnce() -> Result<Vec<u8>, WireError> + Send + 'static,
    ) -> Result<Blob, WireError> {
        let principal = self.principal.clone();
        let made = self.gate.read(self.admission, move |engine| {
            // What is wrong with the bytes is no failure of the engine.
            Ok(match bytes() {
                Ok(bytes) => Ok(engine.blob(&principal, principal.tenant(), bytes)?),
                Err(wrong) => Err(wrong),
            })
        });
        made.await?
    }

    async fn window(&self, wanted: request::Window) -> Result<Answer, WireError> {
        let principal = self.principal.clone();
        let header = *self.header;
        let window = Window {
            context: wanted.context,
            at: match wanted.from {
                request::From::Head => WindowAt::Head,
                request::From::Before(turn) => WindowAt::Before(turn),
                request::From::Depth(depth) => WindowAt::Depth(depth),
            },
            limit: usize::try_from(wanted.limit).unwrap_or(usize::MAX),
            with_payload: wanted.with_payload,
            bytes_max: limits::BINARY_FRAME_BYTES_MAX - ANSWER_OVERHEAD,
        };
        let memory = self.memory.clone();
        let answer = self.gate.read(self.admission, move |engine| {
            let mut answer = Answer::to(&header);
            let (mut count, mut share, mut is_cut) = (0, None, false);
            let begin = |found: &WindowTurns| {
                is_cut = found.is_cut;
                count = u32::try_from(found.turns.len()).unwrap_or(u32::MAX);
                let payloads = if window.with_payload { found.payload_bytes() } else { 0 };
                share = memory.take(payloads + u64::from(count) * TURN_BYTES)?;
                Ok(())
            };
            let mut ends_empty = false;
            let mut unreadable = None;
            engine.turns_window(
                &principal,
                principal.tenant(),
                window,
                begin,
                &mut |found, turn, payload| {
                    if answer.is_empty() {
                        answer.u32(u32::try_from(found.turns.len()).unwrap_or(u32::MAX));
                    }
                    let payload = match payload {
                        None => None,
                        Some(TurnPayload::Bytes(bytes)) => Some(&**bytes),
                        Some(TurnPayload::Unreadable(reason)) => {
                            let (turn, depth, reason) = (turn.id, turn.depth, reason.clone());
                            unreadable = Some(WireError::UnreadableTurn { turn, depth, reason });
                            return;
                        }
                    };
                    ends_empty = payload.is_none_or(<[u8]>::is_empty);
                    answer.turn(turn, found.type_name(turn), payload);
                },
            )?;
            if let Some(unreadable) = unreadable {
                return Ok(Err(unreadable));
            }
            answer.hold(share);
            if is_cut {
                answer.cut();
            }
            if count == 0 {
                answer.u32(0);
            }
            if ends_empty {
                // One client takes a length of 0 at the very end for a cut message.
                answer.u8(0);
            }
            Ok(Ok(answer))
        });
        answer.await?
    }

    async fn get_blob(&self, body: &[u8]) -> Result<Answer, WireError> {
        let mut fields = Body::new(body);
        let hash = fields.hash("hash")?;
        if !fields.is_empty() {
            return Err(WireError::WrongLength { found: body.len() as u64, said: 32 });
        }
        let principal = self.principal.clone();
        let max = cairn_engine::limits::BINARY_BLOB_BYTES_MAX as u64;
        let memory = self.memory.clone();
        let header = *self.header;
        let read = self.gate.read(self.admission, move |engine| {
            let mut share = None;
            let begin = |bytes: u64| {
                share = memory.take(bytes)?;
                // It is read where it is sent from: behind its length.
                let mut answer = Answer::with_capacity(&header, usize::try_from(bytes).unwrap_or(0) + 4);
                answer.u32(u32::try_from(bytes).unwrap_or(u32::MAX));
                Ok(answer.into_bytes())
            };
            let found = engine.whole_blob(&principal, principal.tenant(), &hash, max, begin)?;
            Ok((found, share))
        });
        let (found, share) = read.await.map_err(too_long)?;
        let mut answer = Answer::of_bytes(self.header, found.ok_or(WireError::NoBlob)?);
        answer.hold(share);
        Ok(answer)
    }

    async fn attach(&self, body: &[u8]) -> Result<Answer, WireError> {
        let AttachTree { turn, root } = AttachTree::parse(body)?;
        self.write(|engine, principal, tenant| engine.attach_tree(principal, tenant, turn, root)).await?;
        let mut answer = Answer::to(self.header);
        answer.attached(turn, &root);
        Ok(answer)
    }

    async fn put_blob(&self, body: &[u8]) -> Result<Answer, WireError> {
        let PutBlob { hash, data } = PutBlob::parse(body)?;
        if data.len() > cairn_engine::limits::BINARY_BLOB_BYTES_MAX {
            return Err(WireError::ContentTooLarge { bytes: data.len() as u64 });
        }
        let bytes = data.to_vec();
        let blob = if bytes.len() <= IN_PLACE_BYTES {
            Blob::new(bytes)?
        } else {
            self.large_blob(move || Ok(bytes)).await?
        };
        if blob.hash() != hash {
            return Err(WireError::WrongHash);
        }
        let was_new =
            self.write(|engine, principal, tenant| engine.put_blob(principal, tenant, blob)).await?;
        let mut answer = Answer::to(self.header);
        answer.stored(&hash, was_new);
        Ok(answer)
    }

    async fn put_bundle(&self, body: &[u8]) -> Result<Answer, WireError> {
        let PutBundle { id, bytes } = PutBundle::parse(body)?;
        let (id, bytes) = (id.to_owned(), bytes.to_vec());
        let parsed = self.gate.read(self.admission, move |_| {
            let bundle = Bundle::parse_named(&id, &bytes).map_err(TurnsError::from)?;
            Ok((bundle, Blob::new(bytes)?))
        });
        let (bundle, blob) = parsed.await?;
        let publish =
            |engine: &Engine, principal: &_, tenant| engine.publish_bundle(principal, tenant, bundle, blob);
        let published = self.write(publish).await?;
        let mut answer = Answer::to(self.header);
        answer.published(published);
        Ok(answer)
    }
}

/// A blob that is stored and does not fit into a frame.
fn too_long(error: GateError) -> WireError {
    if let GateError::Engine(EngineError::Store(StoreError::BlobTooLarge { bytes, .. })) = error {
        return WireError::BlobTooLong { bytes };
    }
    error.into()
}
