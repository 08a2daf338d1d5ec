import { isObject, type Dictionary } from '../is-object.ts';
import { executeApp, isFault, type Executing } from './execute.ts';
import { offload } from './offload.ts';
import type { ToolOutcome } from './run-tool.ts';
import { runPython, runShell, toWorkbenchData } from './sandboxes.ts';
import { searchTools, toolSchema } from './search-tools.ts';
import { accountOf, addAccount, linkUrl } from './state.ts';

const MAX_BATCH = 50;
const INSTRUCTIONS = 'REQUIRED: Pass session_id in the calls that follow.';
const WORDS = ['bare', 'sort', 'tide', 'lamp'];

/** The meta tools of a session, by their slugs and by those of Rube; undefined for others. */
export function runMetaTool(
  context: Executing,
  slug: string,
  args: Dictionary,
): ToolOutcome | undefined {
  switch (slug.replace(/^RUBE_/, 'COMPOSIO_')) {
    case 'COMPOSIO_SEARCH_TOOLS':
      return searchTools(context, args, sessionOf(context, args));
    case 'COMPOSIO_GET_TOOL_SCHEMAS':
      return getSchemas(context, args);
    case 'COMPOSIO_MULTI_EXECUTE_TOOL':
      return multiExecute(context, args);
    case 'COMPOSIO_MANAGE_CONNECTIONS':
      return manageConnections(context, args);
    case 'COMPOSIO_REMOTE_WORKBENCH':
      return workbench(context, args);
    case 'COMPOSIO_REMOTE_BASH_TOOL':
      return bash(context, args);
    default:
      return undefined;
  }
}

/** A workflow, not the session of the tool router: any text is taken and given back. */
function sessionOf({ state }: Executing, args: Dictionary): Dictionary {
  const { session, session_id: given } = args;
  const named = isObject(session) ? session['id'] : undefined;
  const id = [given, named].find((one) => typeof one === 'string' && one !== '');
  const made = WORDS[state.effects.length % WORDS.length];
  return { id: id ?? made, instructions: INSTRUCTIONS };
}

function getSchemas({ state }: Executing, { tool_slugs: slugs }: Dictionary): ToolOutcome {
  if (!Array.isArray(slugs) || slugs.length === 0)
    return {
      error: "Invalid request data provided\n- Following fields are missing: {'tool_slugs'}",
    };
  const names = slugs.map((slug) => String(slug).toUpperCase());
  const catalogue = state.catalogue();
  const found = names.flatMap((name) => catalogue.find(name) ?? []);
  const schemas = Object.fromEntries(found.map((tool) => [tool.slug, toolSchema(tool)]));
  return {
    data: { tool_schemas: schemas, not_found: names.filter((name) => !catalogue.find(name)) },
  };
}

function multiExecute(context: Executing, args: Dictionary): ToolOutcome {
  const { state, session, ask } = context;
  const { tools, sync_response_to_workbench: sync } = args;
  const missing = [
    ...(Array.isArray(tools) ? [] : ['tools']),
    ...(state.switches.memoryRequired && !isObject(args['memory']) ? ['memory'] : []),
  ];
  if (!Array.isArray(tools) || missing.length > 0) {
    const names = missing.map((name) => `'${name}'`).join(', ');
    return { error: `Invalid request data provided\n- Following fields are missing: {${names}}` };
  }
  if (tools.length > MAX_BATCH) return { error: `At most ${MAX_BATCH} tools can be executed.` };
  const items = tools.map((item, index) => {
    const { tool_slug: slug, arguments: inner } = isObject(item) ? item : {};
    if (typeof slug !== 'string')
      return { error: "Following fields are missing: {'tool_slug'}", tool_slug: '', index };
    // F22: every second item fails.
    const outcome: ToolOutcome =
      isFault(ask.fault, 'F22') && index % 2 === 1
        ? { error: 'The service behind the tool is not available (emulated).' }
        : executeApp(context, slug, isObject(inner) ? inner : {});
    if ('error' in outcome) return { error: outcome.error, tool_slug: slug, index };
    const remote = offload(state, session, slug, outcome.data, sync === true);
    const response = remote
      ? { successful: true, ...remote }
      : { successful: true, data: outcome.data };
    const isText = state.switches.innerResponse === 'text';
    return { response: isText ? JSON.stringify(response) : response, tool_slug: slug, index };
  });
  const errors = items.filter((item) => 'error' in item).length;
  const data = {
    results: items,
    total_count: items.length,
    success_count: items.length - errors,
    error_count: errors,
    session: sessionOf(context, args),
  };
  return errors === 0 ? { data } : { data, error: `${errors} out of ${items.length} tools failed` };
}

function manageConnections(context: Executing, args: Dictionary): ToolOutcome {
  const { state, session, ask } = context;
  const { toolkits } = args;
  if (!Array.isArray(toolkits))
    return { error: "Invalid request data provided\n- Following fields are missing: {'toolkits'}" };
  const results = toolkits.map((each) => {
    const wanted = isObject(each) ? each['name'] : each;
    const isList = isObject(each) && each['action'] === 'list';
    const toolkit = String(wanted).toLowerCase();
    if (!state.catalogue().toolkit(toolkit))
      return [
        toolkit,
        { toolkit, status: 'failed', error_message: `Toolkit ${toolkit} not found` },
      ];
    const account = accountOf(state, session.userId, toolkit);
    if (account?.status === 'ACTIVE') {
      const instruction = 'The connection is active.';
      return [toolkit, { toolkit, status: 'active', instruction, was_reinitiated: false }];
    }
    if (isList) return [toolkit, { toolkit, status: 'not_connected' }];
    const { userId } = session;
    const fresh = account ?? addAccount(state, { userId, toolkit, status: 'INITIATED' });
    const url = linkUrl(ask, fresh);
    return [
      toolkit,
      {
        toolkit,
        status: 'initiated',
        redirect_url: url,
        instruction: `Ask the user to open ${url}`,
        was_reinitiated: account !== undefined,
      },
    ];
  });
  return {
    data: {
      message: 'All connections have been initiated and are pending completion',
      results: Object.fromEntries(results),
      session: sessionOf(context, args),
    },
  };
}

function workbench(context: Executing, args: Dictionary): ToolOutcome {
  const { session, ask } = context;
  const code = args['code_to_execute'];
  if (typeof code !== 'string')
    return {
      error: "Invalid request data provided\n- Following fields are missing: {'code_to_execute'}",
    };
  const done = isFault(ask.fault, 'F17.workbench')
    ? runPython(session.workbench, 'time.sleep(999)')
    : runPython(session.workbench, code);
  return {
    data: {
      ...toWorkbenchData(done),
      session: sessionOf(context, args),
      sandbox_id_suffix: session.workbench.id.slice(-4),
    },
    ...(done.error !== undefined && { error: done.error }),
  };
}

function bash(context: Executing, args: Dictionary): ToolOutcome {
  const { session } = context;
  const { command } = args;
  if (typeof command !== 'string')
    return { error: "Invalid request data provided\n- Following fields are missing: {'command'}" };
  const { stdout, stderr, error } = runShell(session.workbench, command);
  const max = session.offloadThreshold;
  const path = `/mnt/files/bash/stdout_${context.state.newId('')}.txt`;
  const isLong = stdout.length > max;
  if (isLong) session.workbench.files.set(path, Buffer.from(stdout));
  const shown = isLong ? stdout.slice(0, max) : stdout;
  return {
    data: {
      stdout: shown,
      stdoutLines: shown.split('\n'),
      stderr,
      stderrLines: stderr.split('\n'),
      ...(isLong && { stdout_file_path: path }),
      session: sessionOf(context, args),
      sandbox_id_suffix: session.workbench.id.slice(-4),
    },
    ...(error !== undefined && { error }),
  };
}
