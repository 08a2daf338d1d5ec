import { notice, type Notice } from '#core/messages/notices.ts';
import { nearest } from '#core/nearest.ts';
import type { Dotenv } from './dotenv.ts';
import { variable, type Environment } from './environment.ts';
import { fromText } from './from-text.ts';
import type { GivenText } from './given.ts';
import type { Origin } from './origin.ts';
import type { Report } from './report.ts';
import { SETTINGS, type Setting, type VariableName } from './settings.ts';

/** A place that holds variables: the environment, or the .env of the home. */
export interface VariableSource {
  readonly names: readonly string[];
  get(name: string): string | undefined;
  origin(name: string): Origin;
}

/** Read by clients before there is a daemon: where its settings are, and whether to start it. */
const FOR_CLIENTS: ReadonlySet<string> = new Set([
  'EXAI_HOME',
  'EXAI_AUTOSTART',
  'EXAI_INSECURE',
  'EXAI_WS_AUTOSTART',
]);

/** Names of the originals for things that work without a setting now. */
const RETIRED: ReadonlySet<string> = new Set([
  'EXAI_SESSION_ID',
  'EXAI_SHIM_ACK_GRACE_SECS',
  'EXAI_WS_CONNECT_TIMEOUT',
  'EXAI_WS_DISABLE_COALESCE_FOR_TOOLS',
  'EXAI_WS_HANDSHAKE_TIMEOUT',
  'EXAI_WS_INFLIGHT_TTL_SECS',
  'EXAI_WS_RESULT_TTL',
]);

export function fromEnvironment(env: Environment): VariableSource {
  return {
    names: Object.keys(env).filter((name) => !FOR_CLIENTS.has(name)),
    get: (name) => variable(env, name),
    origin: (name) => ({ kind: 'env', name }),
  };
}

export function fromDotenv({ path, variables }: Dotenv): VariableSource {
  return {
    names: [...variables.keys()],
    get: (name) => variables.get(name)?.value || undefined,
    origin(name) {
      const line = variables.get(name)?.line;
      return { kind: 'dotenv', name, file: path, ...(line !== undefined && { line }) };
    },
  };
}

/** The setting's value in this source, under the first of its names that is set. */
export function findVariable(
  setting: Setting,
  source: VariableSource,
  report: Report,
): GivenText | undefined {
  const [first, ...others] = setting.variables.filter(({ name }) => source.get(name) !== undefined);
  if (first === undefined) return undefined;
  const read = ({ name, unit }: VariableName) => fromText(source.get(name) ?? '', setting, unit);
  const differing = others.find((other) => String(read(other)) !== String(read(first)));
  if (differing) {
    report.notice(() => notice('variables_differ', { used: first.name, ignored: differing.name }));
  }
  if (first.age === 'old') {
    const [current] = setting.variables;
    report.notice(() =>
      notice('variable_renamed', {
        variable: first.name,
        current: current.name,
        ...(first.unit === 'seconds' && { unit: 'milliseconds' }),
      }),
    );
  }
  return {
    form: 'text',
    written: source.get(first.name) ?? '',
    origin: source.origin(first.name),
    unit: first.unit,
  };
}

/** A mistyped EXAI_ name would otherwise be silently without effect. */
export function noteUnknownNames(source: VariableSource, report: Report): void {
  const known = new Set(SETTINGS.flatMap(({ variables }) => variables.map(({ name }) => name)));
  for (const name of source.names) {
    if (name.startsWith('EXAI_') && !known.has(name)) report.notice(() => ignored(name, known));
  }
}

function ignored(variable: string, known: ReadonlySet<string>): Notice {
  if (FOR_CLIENTS.has(variable))
    return notice('variable_ignored', { variable, reason: 'environment_only' });
  if (RETIRED.has(variable)) return notice('variable_ignored', { variable, reason: 'retired' });
  const near = nearest(variable, known);
  return notice('variable_ignored', {
    variable,
    reason: 'unknown',
    ...(near !== undefined && { nearest: near }),
  });
}
