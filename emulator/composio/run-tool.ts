import { createHash } from 'node:crypto';
import { isObject, type Dictionary } from '../is-object.ts';
import { HOME, runPython, runShell, toWorkbenchData } from './sandboxes.ts';
import { accountOf, type ComposioState } from './state.ts';
import { argumentsProblem, type ComposioTool } from './toolkits.ts';

/** What came of a tool; `lacks` is the toolkit whose connection is missing. */
export type ToolOutcome =
  | { readonly data: Dictionary }
  | { readonly error: string; readonly data?: Dictionary; readonly lacks?: string };

export interface ToolRun {
  readonly tool: ComposioTool;
  readonly args: Dictionary;
  readonly userId: string;
  readonly nowMs: number;
  /** F23: the connection is missing whatever the accounts say. */
  readonly isDisconnected: boolean;
}

/** Runs a tool of an app: its answer is computed from its arguments. */
export function runTool(state: ComposioState, run: ToolRun): ToolOutcome {
  const { tool, args, userId, isDisconnected } = run;
  const { toolkit, slug } = tool;
  const isOpen = state.catalogue().toolkit(toolkit)?.noAuth === true;
  if (!isOpen) {
    const account = accountOf(state, userId, toolkit);
    if (isDisconnected || account?.status !== 'ACTIVE') {
      const error = `No active connection found for toolkit(s) '${toolkit}' in this session`;
      return { error, lacks: toolkit };
    }
  }
  const problem = argumentsProblem(tool, args);
  if (problem !== undefined) return { error: problem };
  const act = ACTS[slug];
  if (act) return act(state, run);
  return { data: { id: idOf(args), ...args } };
}

type Act = (state: ComposioState, run: ToolRun) => ToolOutcome;

const ACTS: Readonly<Record<string, Act>> = {
  COMPOSIO_SEARCH_NEWS: ({ switches }, { args, nowMs }) => {
    const query = String(args['query']);
    const items = Array.from({ length: 10 }, (_, at) => ({
      position: at + 1,
      title: `${query}: report ${at + 1}`,
      link: `https://news.example/${encodeURIComponent(query)}/${at + 1}`,
      snippet: `What happened about ${query}, part ${at + 1}.`,
      source: at % 2 === 0 ? 'Example News' : { name: 'Example Times' },
      date: new Date(nowMs - at * 3_600_000).toISOString(),
    }));
    const list = switches.resultLists === 'list' ? items : Object.fromEntries(items.entries());
    const found = { news_results: list };
    return { data: switches.resultPlace === 'data' ? found : { results: found } };
  },
  COMPOSIO_SEARCH_WEB: ({ switches }, { args }) => {
    const query = String(args['query']);
    const found = {
      answer: `About ${query}: eight pages say more.`,
      citations: Array.from({ length: 8 }, (_, at) => ({
        id: `https://web.example/${encodeURIComponent(query)}/${at + 1}`,
        source: 'web.example',
        snippet: `${query}, page ${at + 1}`,
      })),
    };
    return { data: switches.resultPlace === 'data' ? found : { results: found } };
  },
  COMPOSIO_SEARCH_FETCH_URL_CONTENT: (_, { args }) => ({
    data: { results: asList(args['urls']).map((url) => ({ url, content: pageOf(String(url)) })) },
  }),
  GMAIL_SEND_EMAIL: (state, run) => {
    const { args } = run;
    const receivers = [args['recipient_email'], ...asList(args['cc']), ...asList(args['bcc'])];
    if (!receivers.some((one) => typeof one === 'string' && one !== ''))
      return { error: 'At least one of recipient_email, cc or bcc must be provided.' };
    if (!args['subject'] && !args['body'])
      return { error: 'At least one of subject or body must be provided.' };
    const problem = attachmentProblem(state, run);
    if (problem !== undefined) return { error: problem };
    const id = effect(state, run);
    return { data: { id, threadId: id, labelIds: ['SENT'] } };
  },
  OUTLOOK_SEND_EMAIL: (state, run) => {
    const problem = attachmentProblem(state, run);
    if (problem !== undefined) return { error: problem };
    effect(state, run);
    return { data: { response_data: {}, composio_execution_message: 'Email sent.' } };
  },
  SLACK_SEND_MESSAGE: (state, run) => {
    const { args } = run;
    const said = args['markdown_text'] ?? args['text'];
    if (typeof said !== 'string' || said === '') return { error: 'Slack API error: no_text' };
    const ts = `${Math.floor(run.nowMs / 1000)}.000100`;
    effect(state, run);
    return { data: { ok: true, channel: args['channel'], ts, message: { text: said, ts } } };
  },
  GMAIL_FETCH_EMAILS: (state, { args }) => {
    const sent = state.effects.filter(({ tool }) => tool === 'GMAIL_SEND_EMAIL');
    const count = typeof args['max_results'] === 'number' ? args['max_results'] : 1;
    const messages = sent.slice(-count).map((one) => ({
      messageId: idOf(one.args),
      subject: one.args['subject'],
      messageText: one.args['body'],
    }));
    return { data: { messages, nextPageToken: null, resultSizeEstimate: messages.length } };
  },
  GITHUB_CREATE_AN_ISSUE: (state, run) => {
    effect(state, run);
    const { owner, repo, title } = run.args;
    const number = state.effects.filter(({ tool }) => tool === run.tool.slug).length;
    const url = `https://github.com/${String(owner)}/${String(repo)}/issues/${number}`;
    return { data: { number, title, state: 'open', html_url: url } };
  },
  GITHUB_LIST_REPOSITORY_ISSUES: (state, { args }) => ({
    data: {
      issues: state.effects
        .filter((one) => one.tool === 'GITHUB_CREATE_AN_ISSUE' && one.args['repo'] === args['repo'])
        .map((one, at) => ({ number: at + 1, title: one.args['title'], state: 'open' })),
    },
  }),
  NOTION_CREATE_NOTION_PAGE: (state, run) => {
    const id = effect(state, run);
    return { data: { object: 'page', id, url: `https://www.notion.so/${id}` } };
  },
  CODEINTERPRETER_CREATE_SANDBOX: (state) => {
    const id = state.newId('sbx_');
    state.sandboxes.set(id, { id, files: new Map() });
    return { data: { sandbox_id: id } };
  },
  CODEINTERPRETER_EXECUTE_CODE: (state, { args }) =>
    inSandbox(state, args, (sandbox) => {
      const done = runPython(sandbox, String(args['code_to_execute']));
      return { data: { ...toWorkbenchData(done), sandbox_id: sandbox.id } };
    }),
  CODEINTERPRETER_RUN_TERMINAL_CMD: (state, { args }) =>
    inSandbox(state, args, (sandbox) => {
      const { stdout, stderr } = runShell(sandbox, String(args['command']));
      return { data: { stdout, stderr, sandbox_id: sandbox.id } };
    }),
  CODEINTERPRETER_GET_FILE_CMD: (state, { args }) =>
    inSandbox(state, args, ({ files }) => {
      const path = absolute(String(args['file_path']));
      const found = files.get(path);
      if (!found) return { error: `File not found: ${path}` };
      return { data: { content: found.toString('utf8') } };
    }),
  CODEINTERPRETER_UPLOAD_FILE_CMD: (state, { args }) =>
    inSandbox(state, args, ({ files }) => {
      const { file } = args;
      const content = isObject(file) ? file['content'] : undefined;
      if (typeof content !== 'string') return { error: 'file: content must be base64.' };
      const path = absolute(String(args['destination_path']));
      if (files.has(path) && args['overwrite'] !== true)
        return { error: `File already exists: ${path}` };
      files.set(path, Buffer.from(content, 'base64'));
      return { data: { path, uploaded: true } };
    }),
};

function inSandbox(
  state: ComposioState,
  args: Dictionary,
  act: (sandbox: { id: string; files: Map<string, Buffer> }) => ToolOutcome,
): ToolOutcome {
  const { sandbox_id: given } = args;
  const id = typeof given === 'string' ? given : '';
  const sandbox = state.sandboxes.get(id);
  return sandbox ? act(sandbox) : { error: `Sandbox "${id}" not found. Create a sandbox first.` };
}

const absolute = (path: string): string => (path.startsWith('/') ? path : `${HOME}/${path}`);

/** A file belongs to the tool that it was uploaded for. */
function attachmentProblem({ files }: ComposioState, { args, tool }: ToolRun): string | undefined {
  const { attachment } = args;
  if (attachment === undefined || attachment === null) return undefined;
  const key = isObject(attachment) ? attachment['s3key'] : undefined;
  if (
    typeof key !== 'string' ||
    !isObject(attachment) ||
    !attachment['name'] ||
    !attachment['mimetype']
  )
    return "Following fields are missing: {'name', 'mimetype', 's3key'} on parameter `attachment`";
  const stored = files.get(key);
  if (stored?.data === undefined || stored.tool !== tool.slug)
    return `Failed to download the file with key ${key}`;
  return undefined;
}

function effect(state: ComposioState, { tool, args }: ToolRun): string {
  state.effects.push({ tool: tool.slug, args });
  return idOf({ ...args, n: state.effects.length });
}

const idOf = (args: Dictionary): string =>
  createHash('sha256').update(JSON.stringify(args)).digest('hex').slice(0, 16);

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const LINE = 'The quick brown fox jumps over the lazy dog, and nothing of it is a preview.\n';
const MAX_BYTES = 70_000_000;

/** `?bytes=N` is how long a page is. */
function pageOf(url: string): string {
  const wanted = Number(/[?&]bytes=(\d+)/.exec(url)?.[1] ?? 200);
  const bytes = Math.min(wanted, MAX_BYTES);
  return LINE.repeat(Math.ceil(bytes / LINE.length)).slice(0, bytes);
}
