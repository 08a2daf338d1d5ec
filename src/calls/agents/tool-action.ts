import type { ToolAction } from '#core/auth/access-effects.ts';
import type { Tool } from '#core/tools/tool.ts';

/** Words in the name of a tool that runs what its caller writes: a shell, a workbench. */
const CODE_WORDS: ReadonlySet<string> = new Set([
  'bash',
  'codeinterpreter',
  'powershell',
  'repl',
  'shell',
  'ssh',
  'terminal',
  'workbench',
  'zsh',
]);
/** A verb and an object that mean the same where both are in the name. */
const CODE_VERBS: ReadonlySet<string> = new Set([
  'eval',
  'evaluate',
  'exec',
  'execute',
  'run',
  'start',
]);
const CODE_OBJECTS: ReadonlySet<string> = new Set([
  'cell',
  'cmd',
  'code',
  'command',
  'commands',
  'javascript',
  'js',
  'node',
  'notebook',
  'process',
  'program',
  'python',
  'recipe',
  'script',
]);
/** Tools that move files to the workbench and back, without code of the caller. */
const EXCHANGES: ReadonlySet<string> = new Set([
  'local_toolkit/workbench_download',
  'local_toolkit/workbench_upload',
]);

/**
 * What a tool does, as rows of agents see it. A tool of a server that runs code does so whatever
 * the server says of it; otherwise its annotations count, and one without any changes things.
 */
export function actionOf({
  origin,
  annotations,
}: Pick<Tool, 'origin' | 'annotations'>): ToolAction {
  if (origin && runsCode(origin.server, origin.tool)) return 'runs_code';
  return annotations.readOnlyHint ? 'reads' : 'changes';
}

/** Whether a tool of a server runs code, by its name. */
export function runsCode(server: string, tool: string): boolean {
  if (EXCHANGES.has(`${server}/${tool}`)) return false;
  const words = wordsOf(tool);
  const hasVerb = words.some((word) => CODE_VERBS.has(word));
  return words.some((word) => CODE_WORDS.has(word) || (hasVerb && CODE_OBJECTS.has(word)));
}

/** `executeCommand` and `EXECUTE_COMMAND` as `execute` and `command`. */
function wordsOf(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z\d]+/);
}
