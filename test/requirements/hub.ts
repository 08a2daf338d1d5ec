/** Promises about MCP servers behind EX-AI. */
export const HUB_REQUIREMENTS = {
  'hub:transports':
    'MCP servers behind EX-AI are reached over stdio, Streamable HTTP, HTTP+SSE and WebSocket, and their results come as they were sent.',
  'hub:conformance':
    'The hub passes the conformance suite of MCP for clients, in both eras, with the scenarios of authorization.',
  'hub:upstreams':
    'Published servers work behind EX-AI: server-everything, server-filesystem, server-memory and one of fastmcp, also behind mcp-proxy and supergateway.',
  'hub:names':
    'Tools of MCP servers have names of at most 53 plain characters that are the same everywhere and never collide.',
  'hub:results':
    'Results of MCP servers pass with every field; output schemas and structuredContent only with tools.outputSchemas, and without a text the data is one.',
  'hub:results-marked':
    'Where EX-AI gives the result of a server to a model, the model reads it between marks, as data.',
  'hub:paged':
    'A result of an MCP server that is too long for its client is paged, and its structuredContent kept as a resource.',
  'hub:span':
    'Each call of an MCP server has a span of its own, and the server gets its trace context.',
  'hub:environment':
    'A program behind EX-AI sees no variable of the daemon but PATH, HOME and the locale, and those of its own settings.',
  'hub:apart':
    'A server that is gone, that hangs or that floods its output fails its own calls, with a reason, and no others.',
  'hub:chaos':
    'A server that hangs, lies about ids, answers twice, changes its tools all the time or ends in the middle of calls fails its own calls, each with a class and a reason.',
  'hub:idle': 'A server without calls is stopped after idleStopMs, and the next call starts it.',
  'hub:pool':
    'A server works on maxConcurrent calls at once; the others queue, and no caller waits behind all calls of another.',
  'hub:own':
    'With shared false each caller has its own connection to a server, which no other caller uses.',
  'hub:era':
    'The era of MCP that a server speaks is found out once, remembered over restarts, and found again when it has changed.',
  'hub:backoff':
    'A server that cannot be started is tried again after a pause that doubles up to a minute; calls in the pause fail at once.',
  'hub:orphans': 'Programs behind EX-AI end with the daemon, however it ends.',
  'hub:restart':
    'The tools of a server are known after a restart of the daemon without connecting to it, and a server that was restarted is used again.',
  'hub:commands':
    'exai servers adds, lists, shows, restarts, switches off and on, and removes MCP servers and single tools, in config.json and at once.',
  'hub:run':
    'exai servers run serves one MCP server on stdin and stdout, under its own names, with the access and the audit of every call.',
  'import:secrets':
    'exai import writes secrets of imported servers to .env and never to config.json, and keeps references to variables.',
  'import:move':
    'exai import --move removes entries only from clients that use EX-AI, and --undo restores their files byte for byte, or only adds the entries to a file that was changed since.',
  'hub:asks':
    'What an MCP server asks in the middle of a call goes to the client of that call, in either era of each; meanwhile the call is parked.',
  'hub:asks-modern':
    'A server of the modern era that answers with input_required is continued with its own state, also after a restart of the daemon.',
  'hub:asks-bound': 'A parked call is continued only by the principal and the token that made it.',
  'hub:asks-expiry':
    'A parked call ends after 10 minutes; the server is told, and the late answer gets the reason.',
  'hub:asks-restart': 'A restart ends a parked call as interrupted.',
  'hub:asks-whose':
    'A question that may belong to calls of several callers reaches none of them; from then on each has a connection of its own.',
  'hub:content':
    'Prompts, resources and templates of MCP servers are listed and used under names that do not collide.',
  'hub:content-access':
    'A scope for the tools of an MCP server is one for its prompts and resources.',
  'hub:roots': 'A server learns the folders of the caller, and of no other.',
  'hub:sampling':
    'A server gets answers of models only where its settings allow it, from the client or from the models of EX-AI.',
  'hub:presets':
    'exai servers add knows servers by name: packages with exact versions, and what each needs; it says before the first start that code is downloaded, and keys go to .env.',
  'hub:health':
    'exai status and exai doctor name MCP servers that fail, each with the reason and the one command that mends it.',
  'pins:changed':
    'The definitions of a server are pinned when it is seen first; a tool whose definition changes is not callable until its owner approves the difference.',
  'pins:every-way':
    'A quarantined tool cannot be called by name, through a wrapper, by multi_execute_tool, by a model or as a job, and no client or model reads the definition that waits.',
  'pins:no-race':
    'A tool is called over a connection only after the definitions that the server lists there were compared with the pins, and again after each announced change.',
  'pins:added': 'A tool that a server adds or renames after its first sight waits for approval.',
  'pins:durable': 'Pins, quarantine and decisions survive restarts.',
  'pins:team': 'All daemons of a store share pins and decisions.',
  'pins:commands':
    'exai pins lists, shows, approves and rejects definitions that wait, and status, doctor, search_tools and manage_connections name them.',
  'scan:policy':
    'A definition in which the scanner finds an attack is withheld until it is approved by name (mcpServers.NAME.scan: block, the default), reported (warn), or not scanned (off).',
  'scan:content': 'Prompts, resources and templates of servers are scanned like tools.',
  'scan:results':
    'Results of servers reach callers without control characters, sequences for terminals and hidden tags.',
  'scan:corpus':
    'The scanner finds at least 90 % of poisoned definitions at no more than 5 % false alarms, and raises none on the servers of the presets.',
  'scan:linear': 'Scanning takes time in proportion to the text, and does not block other calls.',
} as const;
