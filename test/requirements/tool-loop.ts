/** Models that call tools. */
export const TOOL_LOOP_REQUIREMENTS = {
  'loop:tools':
    'chat, apilookup and kimi_chat_with_tools let their model call tools by name, by server, or the best for the question; a failing tool is an error for the model.',
  'loop:hub':
    'The tools of a loop may be those of MCP servers: by name, by server or by pattern, with their pictures; a server that fails is an error for the model.',
  'loop:rights':
    'Each inner call is decided, limited and audited as a call of its own; chat and apilookup call only tools that read.',
  'loop:ends':
    'A model that calls tools forever, an unknown tool or half a JSON still ends with an answer, and the envelope says how.',
  'loop:functions':
    'Calls of functions of the caller are given back, and the conversation continues with their results.',
  'loop:limits':
    'Cost limits, deadlines and cancelling bind all rounds; what was answered until then is returned.',
  'loop:resumed':
    'A tool loop that is a job continues after a crash of the daemon: no model is asked twice for an answer that was stored, and no call that writes is repeated.',
  'loop:faults': 'Faults of vendors in any round have the result that they have without tools.',
} as const;
