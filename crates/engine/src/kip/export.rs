//! Export: who may take a graph out, and from which snapshots. What is written is in [`cairn_query::Export`].

use std::io::Write;

use cairn_access::{Action, Principal, Resource};
use cairn_base::{Position, SpaceId, TenantId};
use cairn_graph::View;
use cairn_graph::spaces::check_named;
use cairn_query::{Export, ExportError, KipSelection};
use cairn_seam::StoreError;

use super::KipForm;
use crate::{Act, Engine, EngineError};

/// What to export.
#[derive(Debug, Clone)]
pub struct KipExportOptions {
    /// The space; the memory if absent.
    pub space: Option<String>,
    /// As what.
    pub form: KipForm,
    /// Only a part; everything if absent.
    pub selection: Option<KipSelection>,
}

/// An export under way. It holds no snapshot between two pages.
pub struct KipExport {
    tenant: TenantId,
    space: SpaceId,
    export: Export,
}

impl KipExport {
    /// Whether everything was given out.
    pub fn is_done(&self) -> bool {
        self.export.is_done()
    }

    /// Elements that were given out.
    pub fn elements(&self) -> u64 {
        self.export.elements()
    }

    /// How many numbers were passed, and how many there are: about how far it is.
    pub fn progress(&self) -> (u64, u64) {
        self.export.progress()
    }
}

impl Engine {
    /// Exports everything, in the calling thread. `on_progress` is asked whether to go on, and told how far it
    /// is: [`KipExport::progress`].
    pub fn kip_export(
        &self,
        principal: &Principal,
        tenant: TenantId,
        options: &KipExportOptions,
        output: &mut dyn Write,
        on_progress: &mut dyn FnMut((u64, u64)) -> bool,
    ) -> Result<u64, EngineError> {
        let mut export = self.kip_export_begin(principal, tenant, options)?;
        while !export.is_done() {
            let page = self.kip_export_page(principal, &mut export)?;
            let written = output.write_all(&page);
            written.map_err(|error| EngineError::Output { cause: error.to_string() })?;
            if !on_progress(export.progress()) {
                return Err(StoreError::Stopped.into());
            }
        }
        Ok(export.elements())
    }

    /// Begins an export that is taken page by page.
    pub fn kip_export_begin(
        &self,
        principal: &Principal,
        tenant: TenantId,
        options: &KipExportOptions,
    ) -> Result<KipExport, EngineError> {
        self.pipeline.permit(principal, &Act::new(Action::GraphRead, Resource::tenant(tenant)))?;
        let name = options.space.as_deref().unwrap_or(cairn_graph::spaces::MEMORY);
        let space = self.space_to_read(principal, tenant, name)?;
        let act = Act::new(Action::GraphRead, Resource::space(tenant, space));
        let selection = options.selection.as_ref();
        let export = self.pipeline.read(principal, &act, Position::START, |snapshot, scope| {
            check_named(snapshot, tenant, space)?;
            let view = View::new(snapshot, *scope);
            Ok(Export::begin(&view, options.form, selection, &**self.clock())?)
        })?;
        Ok(KipExport { tenant, space, export })
    }

    /// The next lines. A page may be empty before the last one.
    pub fn kip_export_page(
        &self,
        principal: &Principal,
        export: &mut KipExport,
    ) -> Result<Vec<u8>, EngineError> {
        let act = Act::new(Action::GraphRead, Resource::space(export.tenant, export.space));
        self.pipeline.read(principal, &act, Position::START, |snapshot, scope| {
            check_named(snapshot, export.tenant, export.space)?;
            Ok(export.export.page(&View::new(snapshot, *scope))?)
        })
    }
}

impl From<ExportError> for EngineError {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Kip(error) => error.into(),
            ExportError::Graph(error) => error.into(),
            ExportError::Store(error) => error.into(),
        }
    }
}
