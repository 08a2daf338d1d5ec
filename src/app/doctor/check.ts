import type { Environment } from '#config/environment.ts';
import type { Home } from '#config/home.ts';
import type { LoadedConfig } from '#config/load.ts';
import { CallError } from '#core/call-error.ts';
import type { SentNotice } from '#core/messages/notices-wire.ts';
import type { DaemonState } from '../daemon-state.ts';
import type { Readiness } from '../readiness.ts';
import type { System } from '../system.ts';

/** One line of `exai doctor`. `off`: not set up, and nothing else suffers from it. */
export interface Check {
  readonly id: string;
  readonly title: string;
  readonly status: 'ok' | 'warn' | 'fail' | 'off';
  readonly detail: string;
  /** The one command or sentence that mends it. */
  readonly fix?: string;
}

/** The line of a check that failed for a reason that says itself how to mend it. */
export function failed(check: Pick<Check, 'id' | 'title'>, thrown: unknown): Check {
  const { message, fix } = CallError.from(thrown);
  return { ...check, status: 'fail', detail: message, ...(fix !== undefined && { fix }) };
}

/** What is known before any check runs. */
export interface Patient {
  readonly env: Environment;
  readonly system: System;
  readonly home: Home;
  /** The home's own, unless another was named. */
  readonly configFile: string;
  /** The configuration, or why there is none; checks that need it then stay silent. */
  readonly loaded: LoadedConfig | CallError;
  readonly daemon: DaemonState;
  /** Of a running daemon. */
  readonly readiness: Readiness | undefined;
  /** What a running daemon would have its user know, with the settings of this shell counted in; asked once. */
  readonly notices: () => Promise<readonly SentNotice[]>;
}

export type Examine = (patient: Patient) => readonly Check[] | Promise<readonly Check[]>;
