/** Tool calls and stop texts at the gateway. */
export const GATEWAY_TOOLS_REQUIREMENTS = {
  'gateway:whole-calls':
    'A tool call that breaks off, or cannot be read, is asked for again before the client has seen any of it.',
  'gateway:stream-tools':
    'Tool calls are streamed as they are written where the client asks for it, by our option or by the Anthropic beta.',
  'gateway:callable':
    'A call that the client cannot make (tool_choice none, an unknown tool, no tools) is not passed: the model is asked once more, then the next.',
  'gateway:forced-tools':
    'A forced tool is called, whichever model answers; text in its place is never passed as an answer.',
  'gateway:stop-texts':
    'An answer ends before its first stop text, at any vendor and in any pieces, and Anthropic clients are told which it was.',
  'gateway:unreadable-calls':
    'Tool arguments that stay unreadable are passed to the client with a notice, and open no breaker.',
} as const;
