// Keys of `_meta`: those of the specification, and our own under `exai/`.

/** In each modern request: protocol revision, capabilities, client info and log level. */
export const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
export const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
export const CLIENT_INFO_KEY = 'io.modelcontextprotocol/clientInfo';
export const LOG_LEVEL_KEY = 'io.modelcontextprotocol/logLevel';
/** In each modern result. */
export const SERVER_INFO_KEY = 'io.modelcontextprotocol/serverInfo';
/** In each notification of a subscription: the id of its request. */
export const SUBSCRIPTION_KEY = 'io.modelcontextprotocol/subscriptionId';

/** In a request: the client wants the answer streamed. */
export const STREAM_KEY = 'exai/stream';
/** In progress of such a request: the next part of the answer. */
export const TEXT_KEY = 'exai/text';
/** In a heartbeat progress notification: the phase of the call. */
export const PHASE_KEY = 'exai/phase';
/** In a call: `wait` never detaches it, `background` detaches it at once. */
export const WAIT_KEY = 'exai/wait';
export const BACKGROUND_KEY = 'exai/background';
/** In a call: the client accepts an answer of any length. */
export const WHOLE_KEY = 'exai/whole';
/** In the result of a tool call: the envelope. */
export const ENVELOPE_KEY = 'exai/envelope';
/** In the result of a tool call that failed: when to repeat it. */
export const RETRY_AFTER_KEY = 'exai/retry_after_ms';
