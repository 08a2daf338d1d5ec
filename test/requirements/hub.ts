/** Promises about MCP servers behind EX-AI. */
export const HUB_REQUIREMENTS = {
  'hub:transports':
    'MCP servers behind EX-AI are reached over stdio, Streamable HTTP, HTTP+SSE and WebSocket, and their results come as they were sent.',
  'hub:environment':
    'A program behind EX-AI sees no variable of the daemon but PATH, HOME and the locale, and those of its own settings.',
  'hub:apart':
    'A server that is gone, that hangs or that floods its output fails its own calls, with a reason, and no others.',
  'hub:orphans': 'Programs behind EX-AI end with the daemon, however it ends.',
  'hub:restart':
    'The tools of a server are known after a restart of the daemon without connecting to it, and a server that was restarted is used again.',
  'hub:commands':
    'exai servers adds, lists, shows, restarts, switches off and on, and removes MCP servers and single tools, in config.json and at once.',
  'import:secrets':
    'exai import writes secrets of imported servers to .env and never to config.json, and keeps references to variables.',
  'import:move':
    'exai import --move removes entries only from clients that use EX-AI, and --undo restores their files byte for byte, or only adds the entries to a file that was changed since.',
} as const;
