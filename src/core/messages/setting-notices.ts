import type { SentenceTable } from './coded-message.ts';

/** Notices about the settings, the token and the port of a daemon. */
export interface SettingNoticeParams {
  env_file_readable: { readonly file: string };
  variable_repeated: {
    readonly file: string;
    readonly variable: string;
    readonly lines: readonly [number, number];
  };
  /** A secret in a file that other users can read; `instead` says how to keep it private. */
  secret_readable: { readonly setting: string; readonly place: string; readonly instead: string };
  variables_differ: { readonly used: string; readonly ignored: string };
  variable_renamed: {
    readonly variable: string;
    readonly current: string;
    /** Of the current one, where the units differ. */
    readonly unit?: 'milliseconds';
  };
  /** A name of the release before: of a setting in config.json or a flag, or of a variable. */
  setting_renamed: {
    readonly old: string;
    readonly current: string;
    /** Where the old name stands: `/home/ann/.exai/config.json:3:5`, `the environment`. */
    readonly source: string;
  };
  variable_ignored: {
    readonly variable: string;
    readonly reason: 'environment_only' | 'retired' | 'unknown';
    readonly nearest?: string;
  };
  /** A setting refers to a variable that is not set, and its entry is disabled. */
  variable_missing: {
    readonly setting: string;
    readonly variable: string;
    readonly place: string;
  };
  /** `reason` is a clause. */
  setting_deprecated: {
    readonly setting: string;
    readonly reason: string;
    readonly place: string;
  };
  notices_cut: { readonly count: number };
  /** A client's environment has a value that the daemon lacks; `command` gives it to the daemon. */
  setting_differs: {
    readonly variable: string;
    /** `stored`: it was added to .env after the daemon started. */
    readonly state: 'stored' | 'missing';
    readonly command: string;
  };
  token_generated: { readonly file: string };
  port_taken: {
    readonly port: number;
    /** A phrase: `the program nginx`. */
    readonly holder: string;
    /** Absent for a program that is not EX-AI. */
    readonly by?: 'exai';
    /** Where the daemon listens instead. */
    readonly url?: string;
    /** What to do, without a full stop. */
    readonly fix?: string;
  };
  /** Retention does not trust the clock of the machine. */
  clock_jumped: {
    readonly direction: 'ahead' | 'behind';
    /** Both in ISO 8601, UTC. */
    readonly trusted: string;
    readonly now: string;
    /** Until running time confirms the clock. */
    readonly hours: number;
  };
  client_data_kept: {
    readonly client: string;
    /** Day the earlier client of that name was removed, if known. */
    readonly removedOn?: string;
  };
  client_data_restored: { readonly principal: string };
}

export const SETTING_NOTICE_SENTENCES: SentenceTable<SettingNoticeParams> = {
  env_file_readable: ({ file }) =>
    `${file} holds keys, and its mode lets other users read it; \`chmod 600 ${file}\` stops that.`,
  variable_repeated: ({ file, variable, lines: [first, second] }) =>
    `${file} sets ${variable} on lines ${first} and ${second}; the last one counts.`,
  secret_readable: ({ setting, place, instead }) =>
    `${setting} is set in ${place}, which other users can read; ${instead} keeps it private.`,
  variables_differ: ({ used, ignored }) =>
    `${used} and ${ignored} are two names of one setting and differ; ${used} counts.`,
  variable_renamed: ({ variable, current, unit }) =>
    `${variable} is an old name and still works; use ${current}${unit === undefined ? '' : `, which is in ${unit}`}.`,
  setting_renamed: ({ old, current, source }) =>
    `${old} in ${source} is called ${current} now; the old name works until 0.3.`,
  variable_ignored: ({ variable, reason, nearest }) => {
    switch (reason) {
      case 'environment_only':
        return `${variable} counts only in the environment; in .env it is ignored.`;
      case 'retired':
        return `${variable} has no effect in this version and is ignored.`;
      case 'unknown':
        return `${variable} is not a setting and is ignored${nearest === undefined ? '.' : `, did you mean "${nearest}"?`}`;
    }
  },
  variable_missing: ({ setting, variable, place }) =>
    `${setting} refers to \${${variable}} at ${place}, but ${variable} is not set; this entry is disabled until it is.`,
  setting_deprecated: ({ setting, reason, place }) =>
    `${setting} has no effect: ${reason}. Remove it from ${place}.`,
  notices_cut: ({ count }) => `… and ${count.toLocaleString('en')} more`,
  setting_differs: ({ variable, state, command }) => {
    const help =
      state === 'stored'
        ? `It is stored; have the daemon use it: ${command}`
        : `To give it to the daemon: ${command}`;
    return `${variable} is set in the environment of a client, but the daemon has another value or none. ${help}`;
  },
  token_generated: ({ file }) =>
    `TCP clients need a token, and one was generated in ${file}. Clients that start \`exai stdio\` need no change; for all others \`exai token show\` prints what to add.`,
  port_taken: ({ port, holder, by, url, fix }) => {
    const place = url === undefined ? '' : ` EX-AI listens at ${url} instead.`;
    const next = fix === undefined ? '' : ` ${fix}.`;
    if (by === 'exai') {
      return `Port ${port} belongs to ${holder}, which has another EXAI_HOME.${place}${next}`;
    }
    return (
      `Port ${port} belongs to ${holder}, not to EX-AI.${place} Clients that are set up with ` +
      `http://127.0.0.1:${port} talk to that program and hand it their token and prompts.${next}`
    );
  },
  clock_jumped: ({ direction, trusted, now, hours }) => {
    const clock = `The clock says ${now.slice(0, 10)}, and the last confirmed time is ${trusted.slice(0, 10)}`;
    const until = `until this clock has run for ${hours} more ${hours === 1 ? 'hour' : 'hours'}`;
    return direction === 'ahead'
      ? `${clock}; retention removes nothing ${until}. If the clock is right: exai retention run. If not, set it.`
      : `${clock}; it is not trusted ${until}. Retention removes only what is too old by it. If the clock is wrong, set it.`;
  },
  client_data_kept: ({ client, removedOn }) => {
    const data = 'conversations, jobs, results and usage';
    const kept =
      removedOn === undefined
        ? `The store has ${data} of an earlier client ${client}; they stay apart from the new one.`
        : `${client} was removed on ${removedOn}; its ${data} stay with the old client.`;
    return `${kept} To give a new token the old client's data: exai access remove ${client}, then exai access add ${client} --restore`;
  },
  client_data_restored: ({ principal }) =>
    `The new token has the conversations, jobs, results and usage of the old client ${principal}.`,
};
