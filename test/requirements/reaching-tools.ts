/** Promises about the lists of tools, and about tools that they leave out: search_tools, call_tool, call_tool_write. */
export const REACHING_TOOLS_REQUIREMENTS = {
  'tools:lean':
    'The lists of tools have at most 5,000, 11,000 and 16,000 tokens; the docs have each tool in its place.',
  'tools:help': 'search_tools with a name says of a tool what its list leaves out.',
  'tools:search':
    'search_tools finds the tools that the caller may use by what they do, and no others.',
  'tools:learnt':
    'search_tools learns for each principal which tools follow which words of a search, never arguments, and not where tools.learnFromUse is off.',
  'tools:schemas':
    'get_tool_schemas gives the input schemas of several tools, and near names for those that do not exist.',
  'tools:batch':
    'multi_execute_tool calls up to 50 tools, at once or in order, with a separate result or error for each.',
  'tools:connections':
    'manage_connections shows the state of each server and why, and connects those that it is given.',
  'tools:hub-names':
    'The names and arguments that Rube and Composio have for the tools that find and call others are understood, and never listed.',
  'tools:wrapped':
    'A call through call_tool is a call of the inner tool: rights, consent, arguments, job, usage, audit and log.',
  'tools:wrapped-access':
    'call_tool calls only tools that read, and no wrapper calls itself, a disabled tool or one that the caller may not use.',
  'tools:wrapped-listed':
    'call_tool and call_tool_write are listed to callers whom they give a tool that is not listed.',
} as const;
