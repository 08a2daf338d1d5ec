import type { Dictionary } from '../is-object.ts';

const text = (description: string): Dictionary => ({ type: 'string', description });
const SESSION: Dictionary = { session_id: text('The id that an earlier answer gave.') };
const STEP: Dictionary = {
  thought: text('Why.'),
  current_step: text('Of the plan.'),
  current_step_metric: text('How far it is.'),
};

function define(
  name: string,
  description: string,
  properties: Dictionary,
  required: readonly string[],
  annotations: Dictionary = {},
): Dictionary {
  return {
    name,
    description,
    inputSchema: { type: 'object', properties, required },
    annotations: { title: name, openWorldHint: true, ...annotations },
  };
}

/** What `tools/list` of a session has: the meta tools, through which all others are reached. */
export const META_TOOLS: readonly Dictionary[] = [
  define(
    'COMPOSIO_SEARCH_TOOLS',
    'Finds tools of all apps by use case, with plans, schemas and the state of connections.',
    {
      queries: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            use_case: text('What is to be done.'),
            known_fields: text('What is known.'),
          },
          required: ['use_case'],
        },
      },
      session: {
        type: 'object',
        properties: { id: text('Of a workflow.'), generate_id: { type: 'boolean' } },
      },
      model: text('The model that asks.'),
    },
    ['queries'],
    { readOnlyHint: true },
  ),
  define(
    'COMPOSIO_GET_TOOL_SCHEMAS',
    'Gets the input schemas of tools by their slugs.',
    { tool_slugs: { type: 'array', items: text('A slug.') }, ...SESSION },
    ['tool_slugs'],
    { readOnlyHint: true },
  ),
  define(
    'COMPOSIO_MULTI_EXECUTE_TOOL',
    'Executes up to 50 tools at once.',
    {
      tools: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            tool_slug: text('A slug.'),
            arguments: { type: 'object' },
            account: text('Whose.'),
          },
          required: ['tool_slug', 'arguments'],
        },
      },
      sync_response_to_workbench: { type: 'boolean', default: false },
      memory: { type: 'object' },
      ...STEP,
      ...SESSION,
    },
    ['tools'],
    { destructiveHint: true },
  ),
  define(
    'COMPOSIO_MANAGE_CONNECTIONS',
    'Creates connections of toolkits, and gives the links that the user opens for them.',
    { toolkits: { type: 'array' }, reinitiate_all: { type: 'boolean' }, ...SESSION },
    ['toolkits'],
  ),
  define(
    'COMPOSIO_REMOTE_WORKBENCH',
    'Runs Python in the remote sandbox of the session, for at most 180 seconds.',
    { code_to_execute: text('The code.'), ...STEP, ...SESSION },
    ['code_to_execute'],
  ),
  define(
    'COMPOSIO_REMOTE_BASH_TOOL',
    'Runs a shell command in the remote sandbox of the session, for at most 180 seconds.',
    { command: text('The command.'), ...SESSION },
    ['command'],
  ),
];

export const META_SLUGS: readonly string[] = META_TOOLS.map(({ name }) => String(name));

/** As the REST interface lists them, in which their schema has another name. */
export const toWireMetaTool = ({ name, description, inputSchema }: Dictionary): object => ({
  slug: name,
  name,
  description,
  toolkit: { slug: 'composio', name: 'composio', logo: 'https://logos.composio.dev/api/composio' },
  input_parameters: inputSchema,
  output_parameters: { type: 'object', properties: {} },
  no_auth: true,
  available_versions: ['latest'],
  version: 'latest',
  scopes: [],
  scope_requirements: null,
  tags: [],
  is_deprecated: false,
  deprecated: {
    displayName: name,
    version: 'latest',
    available_versions: ['latest'],
    is_deprecated: false,
    toolkit: { logo: 'https://logos.composio.dev/api/composio' },
  },
});
