import type { ComposioTool, Toolkit } from './toolkits.ts';

const APPS = ['Airtable', 'Asana', 'Hubspot', 'Jira', 'Linear', 'Stripe', 'Trello', 'Zendesk'];
const NOUNS = [
  'Account',
  'Board',
  'Card',
  'Comment',
  'Contact',
  'Deal',
  'Invoice',
  'Label',
  'Task',
  'Ticket',
];
const VERBS = ['Archive', 'Create', 'Delete', 'Get', 'List', 'Search', 'Update'];

/** So many further tools, of toolkits that need a connection. */
export function moreTools(count: number): {
  readonly toolkits: readonly Toolkit[];
  readonly tools: readonly ComposioTool[];
} {
  const toolkits = new Map<string, Toolkit>();
  const tools = Array.from({ length: count }, (_, at): ComposioTool => {
    const verb = VERBS[at % VERBS.length] ?? '';
    const noun = NOUNS[Math.floor(at / VERBS.length) % NOUNS.length] ?? '';
    const turn = Math.floor(at / (VERBS.length * NOUNS.length));
    const app = APPS[turn % APPS.length] ?? '';
    const edition = Math.floor(turn / APPS.length);
    const name = edition === 0 ? app : `${app} ${edition + 1}`;
    const toolkit = name.toLowerCase().replaceAll(' ', '');
    toolkits.set(toolkit, { slug: toolkit, name, about: `${name} of teams.`, noAuth: false });
    const reads = ['Get', 'List', 'Search'].includes(verb);
    return {
      slug: `${toolkit}_${verb}_${noun}`.toUpperCase(),
      toolkit,
      name: `${verb} ${noun.toLowerCase()}`,
      description: `${verb}s a ${noun.toLowerCase()} in ${name}.`,
      input: {
        type: 'object',
        properties: { id: { type: 'string', description: `Of the ${noun.toLowerCase()}.` } },
        required: [],
      },
      ...(reads && { tags: ['readOnlyHint'] }),
    };
  });
  return { toolkits: [...toolkits.values()], tools };
}
