import { isObject, type Dictionary } from '../is-object.ts';
import { APP_TOOLS } from './app-tools.ts';
import { moreTools } from './more-tools.ts';
import type { ComposioSwitches } from './switches.ts';

/** A tool as the vendor keeps it; `toWireTool` adds what all of them have. */
export interface ComposioTool {
  readonly slug: string;
  readonly toolkit: string;
  readonly name: string;
  readonly description: string;
  readonly input: Dictionary;
  readonly tags?: readonly string[];
}

export interface Toolkit {
  readonly slug: string;
  readonly name: string;
  readonly about: string;
  readonly noAuth: boolean;
}

export const VERSION = '20260316_00';

const TOOLKITS: readonly Toolkit[] = [
  { slug: 'composio_search', name: 'Composio search', about: 'Searches the web.', noAuth: true },
  { slug: 'codeinterpreter', name: 'Code interpreter', about: 'Runs code.', noAuth: true },
  { slug: 'gmail', name: 'Gmail', about: 'The mail service of Google.', noAuth: false },
  { slug: 'outlook', name: 'Outlook', about: 'The mail service of Microsoft.', noAuth: false },
  { slug: 'slack', name: 'Slack', about: 'Messages of teams.', noAuth: false },
  { slug: 'github', name: 'GitHub', about: 'Repositories and issues.', noAuth: false },
  { slug: 'notion', name: 'Notion', about: 'Pages and databases.', noAuth: false },
];

/** The toolkits and tools there are, with as many further ones as are wanted. */
export interface Catalogue {
  readonly toolkits: readonly Toolkit[];
  readonly tools: readonly ComposioTool[];
  find(slug: string): ComposioTool | undefined;
  toolkit(slug: string): Toolkit | undefined;
}

export function createCatalogue(further: number): Catalogue {
  const more = moreTools(further);
  const tools = [...APP_TOOLS, ...more.tools].toSorted((a, b) => (a.slug < b.slug ? -1 : 1));
  const toolkits = [...TOOLKITS, ...more.toolkits];
  const bySlug = new Map(tools.map((tool) => [tool.slug, tool]));
  return {
    toolkits,
    tools,
    find: (slug) => bySlug.get(slug.toUpperCase()),
    toolkit: (slug) => toolkits.find((one) => one.slug === slug.toLowerCase()),
  };
}

/** The catalogue after some tools have other definitions, or other slugs. */
export function withChanges(
  catalogue: Catalogue,
  { changed, changedText, otherSlug }: ComposioSwitches,
): Catalogue {
  if (changed === '' && otherSlug === '') return catalogue;
  const [other, meant = ''] = otherSlug.split('=');
  const slugs = changed.split(',').map((slug) => slug.trim());
  const change = (tool: ComposioTool): ComposioTool =>
    slugs.includes(tool.slug)
      ? { ...tool, description: `${tool.description} ${changedText}` }
      : tool;
  return {
    ...catalogue,
    tools: catalogue.tools.map(change),
    find(slug) {
      const found = catalogue.find(slug === other ? meant : slug);
      return found && change(found);
    },
  };
}

/** As `GET /tools/{slug}` shows it. */
export function toWireTool(tool: ComposioTool, catalogue: Catalogue): object {
  const toolkit = catalogue.toolkit(tool.toolkit);
  const logo = `https://logos.composio.dev/api/${tool.toolkit}`;
  return {
    slug: tool.slug,
    name: tool.name,
    description: tool.description,
    toolkit: { slug: tool.toolkit, name: toolkit?.name ?? tool.toolkit, logo },
    input_parameters: tool.input,
    output_parameters: OUTPUT,
    no_auth: toolkit?.noAuth ?? false,
    available_versions: [VERSION],
    version: VERSION,
    scopes: [],
    scope_requirements: null,
    tags: tool.tags ?? [],
    is_deprecated: false,
    deprecated: {
      displayName: tool.name,
      version: VERSION,
      available_versions: [VERSION],
      is_deprecated: false,
      toolkit: { logo },
    },
  };
}

const OUTPUT = {
  type: 'object',
  title: 'Response',
  properties: {
    data: { type: 'object', title: 'Data', description: 'Data from the action execution' },
    error: { type: 'string', title: 'Error', nullable: true, default: null },
    successful: { type: 'boolean', title: 'Successful' },
  },
  required: ['data', 'successful'],
};

/** What the vendor says about arguments that do not fit; undefined where they do. */
export function argumentsProblem({ input }: ComposioTool, args: Dictionary): string | undefined {
  const properties = isObject(input['properties']) ? input['properties'] : {};
  const required = Array.isArray(input['required']) ? input['required'] : [];
  const missing = required.filter((name) => args[String(name)] === undefined).map(String);
  const problems: string[] = [];
  if (missing.length > 0) {
    const names = missing.map((name) => `'${name}'`).join(', ');
    problems.push(`- Following fields are missing: {${names}}`);
  }
  for (const [name, value] of Object.entries(args)) {
    const rules = properties[name];
    // The vendor takes unknown fields and ignores them.
    if (!isObject(rules) || value === null || fits(rules['type'], value)) continue;
    problems.push(`- Input should be a valid ${String(rules['type'])} on parameter \`${name}\``);
  }
  if (problems.length === 0) return undefined;
  return `Invalid request data provided\n${problems.join('\n')}`;
}

function fits(type: unknown, value: unknown): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string';
    case 'boolean':
      return typeof value === 'boolean';
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    default:
      return true;
  }
}
