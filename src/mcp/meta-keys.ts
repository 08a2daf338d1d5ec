// The keys of `_meta`: those of the specification, and our own under `exai/`.

/** In each request of the modern era: the revision it speaks, its client's capabilities, and further facts of the client. */
export const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
export const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
export const CLIENT_INFO_KEY = 'io.modelcontextprotocol/clientInfo';
export const LOG_LEVEL_KEY = 'io.modelcontextprotocol/logLevel';
/** In each result of the modern era. */
export const SERVER_INFO_KEY = 'io.modelcontextprotocol/serverInfo';
/** In each notification of a subscription: the id of its request. */
export const SUBSCRIPTION_KEY = 'io.modelcontextprotocol/subscriptionId';

/** In a request: its client shows the answer as it comes. */
export const STREAM_KEY = 'exai/stream';
/** In progress of such a request: what was added to the answer. */
export const TEXT_KEY = 'exai/text';
/** In a call: `wait` has its answer come however long it takes, `background` has it begun and no more. */
export const WAIT_KEY = 'exai/wait';
export const BACKGROUND_KEY = 'exai/background';
/** In a call: its client takes an answer of any length. */
export const WHOLE_KEY = 'exai/whole';
