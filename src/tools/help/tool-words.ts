import type { Json } from '#core/json.ts';
import type { Tool } from '#core/tool.ts';
import type { Usable } from '../materials/catalogue.ts';
import { wordsFor } from './argument-words.ts';
import { kindWords, objectOf, requiredOf } from './kind-words.ts';

/** One argument as a line for whoever calls the tool. */
export interface Argument {
  readonly name: string;
  readonly required: boolean;
  /** `text`, `number`, one of a few words. */
  readonly kind: string;
  /** Absent where there is none. */
  readonly default?: Json;
  readonly about: string;
}

/** The arguments of a tool as its schema has them, those that it needs first. */
export function argumentsOf({
  name: tool,
  inputSchema,
}: Pick<Tool, 'name' | 'inputSchema'>): readonly Argument[] {
  const needed = requiredOf(inputSchema['required']);
  const all = Object.entries(objectOf(inputSchema['properties'])).map(([name, schema]) => {
    const { description, default: usual } = objectOf(schema);
    const short = typeof description === 'string' ? description : '';
    return {
      name,
      required: needed.has(name),
      kind: kindWords(schema),
      ...(usual !== undefined && { default: usual }),
      about: wordsFor(tool, name) ?? short,
    };
  });
  return [...all.filter((each) => each.required), ...all.filter((each) => !each.required)];
}

/** All about one tool, for the model or the person that wants to call it. */
export function toolWords({ tool, listed }: Usable): string {
  const { name, title, description, profile, help } = tool;
  const place = listed
    ? ''
    : `It is not in the list of tools (profile ${profile}), and can be called all the same.`;
  return [
    `# ${name} – ${title}`,
    description,
    place,
    help ?? answerWords(tool),
    ['Arguments:', ...argumentsOf(tool).map(argumentLine)].join('\n'),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function argumentLine({ name, required, kind, default: usual, about }: Argument): string {
  const need = required ? ', required' : '';
  const without = usual === undefined ? '' : `, default ${JSON.stringify(usual)}`;
  return `- ${name} (${kind}${need}${without})${about === '' ? '' : `: ${about}`}`;
}

/** What comes back, of a tool that has no words of its own about it. */
function answerWords({ outputSchema }: Tool): string {
  const { content } = objectOf(outputSchema?.['properties']);
  const fields = Object.keys(objectOf(objectOf(content)['properties']));
  if (fields.length === 0) return '';
  return `Comes back: status success, a text, and content with ${fields.join(', ')}; what a call leaves out is absent.`;
}

/** Every tool in a line. */
export function indexWords(usable: readonly Usable[]): string {
  const lines = usable.map(({ tool: { name, description }, listed }) => {
    const [first = ''] = description.split(/(?<=\.)\s+(?=\p{Lu})/u);
    return `- ${name}${listed ? '' : ' (not listed)'}: ${first}`;
  });
  const isShort = usable.some(({ listed }) => !listed);
  return [
    lines.join('\n'),
    'Call tool_help with "tool" for all about one of them.',
    ...(isShort
      ? [
          'Those that are not listed can be called by name all the same; for a client that only calls what is listed, set tools.profile to full.',
        ]
      : []),
  ].join('\n\n');
}
