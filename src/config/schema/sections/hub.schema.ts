import { SCAN_POLICIES } from '#core/hub/finding.ts';
import { UPSTREAM_TRANSPORTS } from '#core/hub/upstream-config.ts';
import { LOGIN_MODES } from '#core/hub/upstream-login.ts';
import {
  HOUR_MS,
  headerNames,
  line,
  list,
  map,
  oneOf,
  optionalHttpUrl,
  optionalPath,
  privateKey,
  optionalServerUrl,
  record,
  scope,
  secretLine,
  section,
  toolPattern,
  trueOrFalse,
  variableNames,
  wholeNumber,
} from '../fields.schema.ts';
import { AT_RELOAD, settingMeta, type SettingMeta } from '../setting-meta.ts';

/** A variable that is not set disables its server and no other. */
const META: SettingMeta = { applies: AT_RELOAD, missingReference: 'disable' };

/** MCP servers behind EX-AI, in the form that every client has them in. */
export const mcpServers = record({
  type: oneOf(['', ...UPSTREAM_TRANSPORTS])
    .default('')
    .describe(
      'How it is reached: stdio, http (or streamable-http), sse or ws. Without it: stdio where there is a command, ws for a URL that begins with ws, otherwise http.',
    )
    .register(settingMeta, META),
  command: line
    .default('')
    .describe('The program to start: an absolute path, or a name that is searched on PATH.')
    .register(settingMeta, META),
  args: list(line).default([]).describe('Its arguments.').register(settingMeta, META),
  env: map(variableNames)
    .default({})
    .describe(
      'Variables of the program. It inherits PATH, HOME and the locale, and no other variable of the daemon.',
    )
    .register(settingMeta, { ...META, secret: 'whole' }),
  cwd: optionalPath
    .default('')
    .describe('The folder it runs in; without one, your home folder.')
    .register(settingMeta, META),
  url: optionalServerUrl
    .default('')
    .describe('Where a server that is not started by EX-AI is reached.')
    .register(settingMeta, { ...META, secret: 'password' }),
  headers: map(headerNames)
    .default({})
    .describe('Headers of each request to the URL, such as {"Authorization": "Bearer ${TOKEN}"}.')
    .register(settingMeta, { ...META, secret: 'whole' }),
  disabled: trueOrFalse
    .default(false)
    .describe('Whether the server is switched off: none of its tools is listed or callable.')
    .register(settingMeta, META),
  disabledTools: list(toolPattern)
    .default([])
    .describe('Its tools that are switched off, by their own name or a pattern, such as delete_*.')
    .register(settingMeta, META),
  shared: trueOrFalse
    .default(true)
    .describe(
      'Whether all clients use one connection to it. With false each client has its own, for servers that keep a state for each client.',
    )
    .register(settingMeta, META),
  sampling: oneOf(['deny', 'client', 'models'])
    .default('deny')
    .describe(
      "Who answers when the server asks for a model's answer (MCP sampling) during a call: no one (deny), the client with its own model (client), or the models of EX-AI for callers that may use chat, at their cost (models).",
    )
    .register(settingMeta, META),
  scan: oneOf(SCAN_POLICIES)
    .default('block')
    .describe(
      'What happens when a definition of the server looks like an attack: it is withheld until you approve it (block), it is reported (warn), or nothing is scanned (off). With off, results are passed on with control characters, too.',
    )
    .register(settingMeta, META),
  protocol: oneOf(['auto', 'legacy', 'modern'])
    .default('auto')
    .describe(
      'Which generation of MCP it speaks: legacy (initialize), modern (2026-07-28 and later) or auto, which finds out once and remembers.',
    )
    .register(settingMeta, META),
  startTimeoutMs: wholeNumber(100, HOUR_MS)
    .default(60_000)
    .describe('How long it may take to start and to introduce itself, in milliseconds.')
    .register(settingMeta, META),
  callTimeoutMs: wholeNumber(100, 24 * HOUR_MS)
    .default(300_000)
    .describe('How long a call of one of its tools may take, in milliseconds.')
    .register(settingMeta, META),
  idleStopMs: wholeNumber(0, 24 * HOUR_MS)
    .default(600_000)
    .describe(
      'After how long without a call it is stopped, in milliseconds; the next call starts it. 0: never.',
    )
    .register(settingMeta, META),
  maxConcurrent: wholeNumber(1, 1024)
    .default(16)
    .describe('Calls that it works on at once; more than that queue.')
    .register(settingMeta, META),
  login: oneOf(LOGIN_MODES)
    .default('auto')
    .describe(
      'How a server at a URL that asks for a token gets one: from a login of the user in a browser (auto; exai servers login), from its authorization server by clientId and clientSecret without a user (client_credentials), or not at all (off).',
    )
    .register(settingMeta, META),
  clientId: line
    .default('')
    .describe(
      'The client as which EX-AI is registered at the authorization server of the server. Empty: EX-AI registers itself.',
    )
    .register(settingMeta, META),
  clientSecret: secretLine
    .default('')
    .describe('The secret of clientId; empty where it has none.')
    .register(settingMeta, { ...META, secret: 'whole' }),
  clientKey: privateKey
    .default('')
    .describe(
      'A private key in PEM (RSA, P-256, P-384 or P-521), with which clientId signs instead of sending a secret. Write line breaks as \\n.',
    )
    .register(settingMeta, { ...META, secret: 'whole' }),
  scopes: list(scope)
    .default([])
    .describe('Scopes to ask for at the login. Empty: those that the server names.')
    .register(settingMeta, META),
  redirectUrl: optionalHttpUrl
    .default('')
    .describe(
      'Where the browser is sent after the login, where clientId is registered with a fixed address. Empty: /oauth/callback of the daemon.',
    )
    .register(settingMeta, META),
}).describe('MCP servers behind EX-AI, by name.');

/** Limits of the hub itself. */
export const hub = section({
  queue: wholeNumber(0, 100_000)
    .default(256)
    .describe('Calls that may wait for one MCP server; the next one is told to come back.')
    .register(settingMeta, { applies: AT_RELOAD }),
  maxMessageBytes: wholeNumber(65_536, 268_435_456)
    .default(33_554_432)
    .describe('Largest message of an MCP server, in bytes; a call with a longer result fails.')
    .register(settingMeta, { applies: AT_RELOAD }),
  maxToolsPerServer: wholeNumber(1, 100_000)
    .default(5_000)
    .describe('How many tools of one server are used; the rest is left out with a warning.')
    .register(settingMeta, { applies: AT_RELOAD }),
  clientMetadataUrl: optionalHttpUrl
    .default('')
    .describe(
      'A public https address of a client ID metadata document that describes EX-AI to authorization servers that support it. Empty: EX-AI registers itself there.',
    )
    .register(settingMeta, { applies: AT_RELOAD }),
});
