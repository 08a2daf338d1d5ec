import type { NewServer } from './new-server.ts';

/** A value that a preset needs, as a variable of .env. */
export interface PresetVariable {
  /** The name in .env, and for a program its own name of it. */
  readonly name: string;
  readonly about: string;
  /** Where to get it. */
  readonly from?: string;
  /** Its name says little, so that its variable in .env also has the name of the server. */
  readonly isGeneric?: true;
  /** `optional`: the server works without it. */
  readonly need: 'required' | 'optional';
  /** The header that carries it, for a server at a URL. */
  readonly header?: { readonly name: string; readonly scheme?: 'Bearer' };
}

/** Words that follow the name on the command line. */
export interface PresetArguments {
  /** As the help shows it, such as FOLDER…. */
  readonly name: string;
  readonly is: 'folder' | 'file';
  readonly count: 'one' | 'some';
}

/** An MCP server that is added by its name. */
export interface ServerPreset {
  readonly id: string;
  readonly about: string;
  readonly command?: string;
  /** `{}` is the place of the arguments; without it they follow. */
  readonly args?: readonly string[];
  readonly url?: string;
  /** The setting that adds the server without an entry of `mcpServers`. */
  readonly setting?: 'composio.apiKey';
  readonly env?: Readonly<Record<string, string>>;
  readonly variables?: readonly PresetVariable[];
  readonly arguments?: PresetArguments;
  /** Programs beside the command that have to be installed. */
  readonly programs?: readonly string[];
  /** The server wants a login of the user. */
  readonly needsLogin?: true;
  /** What a user should know before the first call. */
  readonly hint?: string;
}

/** A package of npm at a version, which `npx` downloads at the first start and never updates. */
function npmPackage(name: string, ...args: readonly string[]) {
  return { command: 'npx', args: ['-y', name, ...args] };
}

function key(name: string, about: string, from: string): PresetVariable {
  return { name, about, from, need: 'required' };
}

/** Versions as published on npm in November 2026. */
export const SERVER_PRESETS: readonly ServerPreset[] = [
  {
    id: 'github',
    about: 'issues, pull requests, code and workflows of GitHub; runs at GitHub',
    url: 'https://api.githubcopilot.com/mcp/',
    variables: [
      {
        ...key('GITHUB_TOKEN', 'a personal access token', 'https://github.com/settings/tokens'),
        header: { name: 'Authorization', scheme: 'Bearer' },
      },
    ],
  },
  {
    id: 'filesystem',
    about: 'reads, writes and searches files in the folders that you name',
    ...npmPackage('@modelcontextprotocol/server-filesystem@2026.8.31'),
    arguments: { name: 'FOLDER', is: 'folder', count: 'some' },
  },
  {
    id: 'memory',
    about: 'a graph of facts that is kept between conversations',
    ...npmPackage('@modelcontextprotocol/server-memory@2026.8.31'),
    variables: [{ name: 'MEMORY_FILE_PATH', about: 'the file of the facts', need: 'optional' }],
  },
  {
    id: 'sequential-thinking',
    about: 'a scratchpad for reasoning in steps',
    ...npmPackage('@modelcontextprotocol/server-sequential-thinking@2026.8.31'),
  },
  {
    id: 'everything',
    about: 'the test server of MCP, with one of everything',
    ...npmPackage('@modelcontextprotocol/server-everything@2026.8.31'),
  },
  {
    id: 'playwright',
    about: 'drives a browser: opens pages, clicks, types, reads',
    ...npmPackage('@playwright/mcp@0.0.83', '--headless'),
    hint: 'It needs a browser: npx playwright install chrome',
  },
  {
    id: 'chrome-devtools',
    about: 'inspects pages with the developer tools of Chrome: network, performance, console',
    ...npmPackage('chrome-devtools-mcp@1.11.0', '--headless', '--no-usage-statistics'),
    hint: 'It needs Chrome on this machine.',
  },
  {
    id: 'postgres',
    about: 'queries PostgreSQL, and also MySQL, MariaDB, SQL Server and SQLite',
    ...npmPackage('@bytebase/dbhub@1.4.0', '--transport', 'stdio'),
    variables: [
      {
        name: 'DSN',
        isGeneric: true,
        about: 'the address, such as postgres://user:password@host/db',
        need: 'required',
      },
    ],
    hint: 'Give it an account that can only read, if that is enough.',
  },
  {
    id: 'mongodb',
    about: 'queries MongoDB, reading only',
    ...npmPackage('mongodb-mcp-server@3.0.4', '--readOnly'),
    variables: [
      {
        name: 'MDB_MCP_CONNECTION_STRING',
        about: 'mongodb:// or mongodb+srv://',
        need: 'required',
      },
    ],
  },
  {
    id: 'context7',
    about: 'current documentation of libraries',
    ...npmPackage('@upstash/context7-mcp@4.1.1'),
  },
  {
    id: 'brave-search',
    about: 'searches the web with Brave',
    ...npmPackage('@brave/brave-search-mcp-server@2.1.4', '--transport', 'stdio'),
    variables: [key('BRAVE_API_KEY', 'an API key', 'https://api-dashboard.search.brave.com')],
  },
  {
    id: 'tavily',
    about: 'searches the web and extracts pages with Tavily',
    ...npmPackage('tavily-mcp@0.2.22'),
    variables: [key('TAVILY_API_KEY', 'an API key', 'https://app.tavily.com')],
  },
  {
    id: 'exa',
    about: 'searches the web and code with Exa',
    ...npmPackage('exa-mcp-server@3.4.1'),
    variables: [key('EXA_API_KEY', 'an API key', 'https://dashboard.exa.ai/api-keys')],
  },
  {
    id: 'firecrawl',
    about: 'crawls and extracts web sites with Firecrawl',
    ...npmPackage('firecrawl-mcp@3.26.0'),
    variables: [key('FIRECRAWL_API_KEY', 'an API key', 'https://www.firecrawl.dev/app/api-keys')],
  },
  {
    id: 'notion',
    about: 'pages and databases of Notion',
    ...npmPackage('@notionhq/notion-mcp-server@2.5.2'),
    variables: [
      key('NOTION_TOKEN', 'an integration token', 'https://www.notion.so/profile/integrations'),
    ],
  },
  {
    id: 'notion-remote',
    about: 'pages and databases of Notion; runs at Notion',
    url: 'https://mcp.notion.com/mcp',
    needsLogin: true,
  },
  {
    id: 'linear',
    about: 'issues and projects of Linear; runs at Linear',
    url: 'https://mcp.linear.app/mcp',
    needsLogin: true,
  },
  {
    id: 'atlassian',
    about: 'Jira and Confluence; runs at Atlassian',
    url: 'https://mcp.atlassian.com/v1/mcp',
    needsLogin: true,
  },
  {
    id: 'sentry',
    about: 'errors and traces of Sentry; runs at Sentry',
    url: 'https://mcp.sentry.dev/mcp',
    needsLogin: true,
  },
  {
    id: 'figma',
    about: 'layouts of Figma files',
    ...npmPackage('figma-developer-mcp@0.13.2', '--stdio'),
    variables: [key('FIGMA_API_KEY', 'a personal access token', 'https://www.figma.com/settings')],
  },
  {
    id: 'composio',
    about: 'Gmail, Slack and 500 other services through Composio; runs there',
    setting: 'composio.apiKey',
    variables: [
      key('COMPOSIO_API_KEY', 'an API key', 'https://platform.composio.dev'),
      {
        name: 'DEFAULT_USER_ID',
        about: 'the Composio user whose accounts are used',
        need: 'required',
      },
    ],
  },
  {
    id: 'zai_vision',
    about: 'reads pictures, screenshots, diagrams and videos with GLM',
    ...npmPackage('@z_ai/mcp-server@0.1.5'),
    env: { Z_AI_MODE: 'ZAI' },
    variables: [
      key('Z_AI_API_KEY', 'an API key of Z.ai', 'https://z.ai/manage-apikey/apikey-list'),
    ],
  },
  {
    id: 'edgartools',
    about: 'financial reports and filings of the SEC',
    command: 'uvx',
    args: ['--from', 'edgartools[ai]', 'python', '-m', 'edgar.ai'],
    variables: [
      {
        name: 'EDGAR_IDENTITY',
        about: 'your name and e-mail, which the SEC requires',
        need: 'required',
      },
    ],
    hint: 'Its version is not fixed: uvx takes the newest when it downloads it.',
  },
  {
    id: 'video_audio',
    about: 'cuts, converts and joins video and audio with ffmpeg',
    command: 'uv',
    args: ['run', '--directory', '{}', 'server.py'],
    arguments: { name: 'FOLDER', is: 'folder', count: 'one' },
    programs: ['ffmpeg'],
    hint: 'FOLDER is a clone of https://github.com/misbahsy/video-audio-mcp',
  },
  {
    id: 'youtube',
    about: 'downloads video, audio and subtitles with yt-dlp',
    command: 'python3',
    args: ['-m', 'mcp_youtube'],
    programs: ['yt-dlp'],
    hint: 'It needs the Python package mcp_youtube.',
  },
  {
    id: 'local_toolkit',
    about: 'files, web extraction and the workbench of the Universal Agent',
    command: 'python3',
    arguments: { name: 'FILE', is: 'file', count: 'one' },
    hint: 'FILE is src/mcp_server.py of the agent.',
  },
];

export function findServerPreset(id: string): ServerPreset | undefined {
  return SERVER_PRESETS.find((preset) => preset.id === id);
}

/** The entry of config.json; `variableFor` tells the name of each variable in .env. */
export function settingsOfPreset(
  preset: ServerPreset,
  words: readonly string[],
  variableFor: (name: string) => string,
  given: ReadonlySet<string>,
): NewServer {
  const { command, args = [], url, env = {}, variables = [] } = preset;
  const used = variables.filter(({ name, need }) => need === 'required' || given.has(name));
  const headers = used.flatMap(({ name, header }) => {
    if (!header) return [];
    const scheme = header.scheme === undefined ? '' : `${header.scheme} `;
    return [[header.name, `${scheme}\${${variableFor(name)}}`] as const];
  });
  const own = used.filter(({ header }) => header === undefined);
  const allEnv = {
    ...env,
    ...Object.fromEntries(own.map(({ name }) => [name, `\${${variableFor(name)}}`])),
  };
  const allArgs = args.includes('{}')
    ? args.flatMap((each) => (each === '{}' ? words : [each]))
    : [...args, ...words];
  return {
    ...(command !== undefined && { command }),
    ...(allArgs.length > 0 && { args: allArgs }),
    ...(Object.keys(allEnv).length > 0 && { env: allEnv }),
    ...(url !== undefined && { url }),
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
  };
}
