//! The codes of errors: stable names for programs, each with its HTTP status.

use axum::http::StatusCode;
use serde::{Serialize, Serializer};
use utoipa::PartialSchema;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};

/// Declares [`Code`]: the name in the API and the status of each variant.
macro_rules! codes {
    ($($variant:ident = $name:literal $status:ident,)*) => {
        /// What went wrong, for programs. The page has its own sentence for each, in both languages (`page/words.js`).
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Code {
            $(#[doc = concat!("`", $name, "`")] $variant,)*
        }

        impl Code {
            /// All codes, by name.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The name in the API.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// The HTTP status that goes with it.
            pub fn status(self) -> StatusCode {
                match self {
                    $(Self::$variant => StatusCode::$status,)*
                }
            }
        }
    };
}

codes! {
    AmbiguousName = "ambiguous_name" CONFLICT,
    BadBody = "bad_body" BAD_REQUEST,
    BadDocument = "bad_document" BAD_REQUEST,
    BadEvaluation = "bad_evaluation" BAD_REQUEST,
    BadFilter = "bad_filter" BAD_REQUEST,
    BadForm = "bad_form" BAD_REQUEST,
    BadHash = "bad_hash" BAD_REQUEST,
    BadJson = "bad_json" BAD_REQUEST,
    BadLayer = "bad_layer" BAD_REQUEST,
    BadName = "bad_name" BAD_REQUEST,
    BadOption = "bad_option" BAD_REQUEST,
    BadParameter = "bad_parameter" BAD_REQUEST,
    BadPath = "bad_path" BAD_REQUEST,
    BadPlace = "bad_place" BAD_REQUEST,
    BadQuestionSet = "bad_question_set" BAD_REQUEST,
    BadRecipe = "bad_recipe" BAD_REQUEST,
    CannotWrite = "cannot_write" INSUFFICIENT_STORAGE,
    CrossOrigin = "cross_origin" FORBIDDEN,
    EmbedderFailed = "embedder_failed" BAD_GATEWAY,
    FileChanged = "file_changed" NOT_FOUND,
    IndexBusy = "index_busy" CONFLICT,
    IndexReadOnly = "index_read_only" FORBIDDEN,
    IndexReplaced = "index_replaced" SERVICE_UNAVAILABLE,
    Internal = "internal" INTERNAL_SERVER_ERROR,
    KeyExpired = "key_expired" UNAUTHORIZED,
    ModelBusy = "model_busy" SERVICE_UNAVAILABLE,
    ModelFailed = "model_failed" BAD_GATEWAY,
    NameTaken = "name_taken" CONFLICT,
    NoDocument = "no_document" NOT_FOUND,
    NoFiles = "no_files" BAD_REQUEST,
    NoImage = "no_image" NOT_FOUND,
    NoIndex = "no_index" NOT_FOUND,
    NoJob = "no_job" NOT_FOUND,
    NoKey = "no_key" UNAUTHORIZED,
    NoMethod = "no_method" METHOD_NOT_ALLOWED,
    NoModel = "no_model" NOT_FOUND,
    NoOriginal = "no_original" NOT_FOUND,
    NoPage = "no_page" NOT_FOUND,
    NoPictures = "no_pictures" NOT_FOUND,
    NoQuestion = "no_question" BAD_REQUEST,
    NoReport = "no_report" NOT_FOUND,
    NoRoot = "no_root" NOT_FOUND,
    NoRoute = "no_route" NOT_FOUND,
    NoRun = "no_run" NOT_FOUND,
    NoUnits = "no_units" BAD_REQUEST,
    NotJson = "not_json" UNSUPPORTED_MEDIA_TYPE,
    NotReady = "not_ready" SERVICE_UNAVAILABLE,
    Overloaded = "overloaded" SERVICE_UNAVAILABLE,
    PageNotDrawn = "page_not_drawn" UNPROCESSABLE_ENTITY,
    PathNotAllowed = "path_not_allowed" FORBIDDEN,
    PromptTooLong = "prompt_too_long" BAD_REQUEST,
    RateLimited = "rate_limited" TOO_MANY_REQUESTS,
    RoleTooLow = "role_too_low" FORBIDDEN,
    Timeout = "timeout" GATEWAY_TIMEOUT,
    TooLarge = "too_large" PAYLOAD_TOO_LARGE,
    TooMuch = "too_much" BAD_REQUEST,
    UnknownField = "unknown_field" BAD_REQUEST,
    Unreadable = "unreadable" BAD_REQUEST,
    UploadQuota = "upload_quota" TOO_MANY_REQUESTS,
    WrongHost = "wrong_host" FORBIDDEN,
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// In the description: a text, one of all codes.
impl PartialSchema for Code {
    fn schema() -> RefOr<Schema> {
        let names = Self::ALL.iter().map(|code| code.as_str());
        ObjectBuilder::new().schema_type(Type::String).enum_values(Some(names)).into()
    }
}

impl utoipa::ToSchema for Code {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_sorted_and_unique() {
        let names: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
        let sorted: Vec<&str> = names.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
        assert_eq!(names, sorted);
    }
}
