import { notice, type Notice } from '#core/messages/notices.ts';
import { nearest } from '#core/text/text.ts';
import type { Dotenv } from './dotenv.ts';
import { variable, type Environment } from '../environment.ts';
import { parseText, type RawText } from './raw-setting.ts';
import { noteRenamed, type Origin } from './origin.ts';
import type { ConfigReport } from './report.ts';
import type { Setting, VariableName } from '../schema/setting-schema.ts';

/** A source of variables: the environment, or the .env of the home. */
export interface VariableSource {
  readonly names: readonly string[];
  get(name: string): string | undefined;
  origin(name: string): Origin;
}

/**
 * Variables that clients read before a daemon runs: where its settings are, and whether to start
 * it.
 */
const FOR_CLIENTS: ReadonlySet<string> = new Set([
  'EXAI_HOME',
  'EXAI_AUTOSTART',
  'EXAI_INSECURE',
  'EXAI_WS_AUTOSTART',
]);

/** Variables of the original EX-AI that no longer have an effect. */
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

/** The value of a setting in this source, from the first of its variables that is set. */
export function findVariable(
  setting: Setting,
  source: VariableSource,
  report: ConfigReport,
): RawText | undefined {
  const [first, ...others] = setting.variables.filter(({ name }) => source.get(name) !== undefined);
  if (first === undefined) return undefined;
  const read = ({ name, unit }: VariableName) => parseText(source.get(name) ?? '', setting, unit);
  const differing = others.find((other) => String(read(other)) !== String(read(first)));
  if (differing) {
    report.notice(() => notice('variables_differ', { used: first.name, ignored: differing.name }));
  }
  const [current] = setting.variables;
  for (const { name, age } of [first, ...others]) {
    if (age === 'renamed') noteRenamed(name, current.name, source.origin(name), report);
  }
  if (first.age === 'old') {
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

/** Reports unknown EXAI_ variables, because a mistyped one would silently have no effect. */
export function noteUnknownNames(
  source: VariableSource,
  settings: readonly Setting[],
  report: ConfigReport,
): void {
  const variables = settings.flatMap((setting) => setting.variables);
  const known = new Set(variables.map(({ name }) => name));
  // A renamed variable works but is not proposed.
  const proposed = new Set(
    variables.filter(({ age }) => age !== 'renamed').map(({ name }) => name),
  );
  for (const name of source.names) {
    if (name.startsWith('EXAI_') && !known.has(name)) report.notice(() => ignored(name, proposed));
  }
}

function ignored(variable: string, proposed: ReadonlySet<string>): Notice {
  if (FOR_CLIENTS.has(variable))
    return notice('variable_ignored', { variable, reason: 'environment_only' });
  if (RETIRED.has(variable)) return notice('variable_ignored', { variable, reason: 'retired' });
  const near = nearest(variable, proposed);
  return notice('variable_ignored', {
    variable,
    reason: 'unknown',
    ...(near !== undefined && { nearest: near }),
  });
}
