import { AT_RELOAD, atRestart, settingMeta } from '../setting-meta.ts';
import {
  hostName,
  HOUR_MS,
  list,
  optionalPath,
  pageOrigin,
  secretLine,
  section,
  tcpPort,
  trueOrFalse,
  wholeNumber,
} from '../fields.schema.ts';

/** Where clients connect, how they authenticate, and the timeouts of connections. */
export const listening = {
  host: hostName
    .default('127.0.0.1')
    .describe('Address to listen on. Any but a loopback address needs a token.')
    .register(settingMeta, { applies: atRestart('listener'), old: [{ name: 'EXAI_WS_HOST' }] }),
  port: tcpPort
    .default(8765)
    .describe(
      'TCP port to listen on; 0 takes any free one, off opens none: then only the socket file of the home is served.',
    )
    .register(settingMeta, { applies: atRestart('listener'), old: [{ name: 'EXAI_WS_PORT' }] }),
  token: secretLine
    .default('')
    .describe(
      'The owner’s token, which TCP clients present as their bearer token: at least 16 characters. Where it is empty, the first start writes a random one to EXAI_HOME/.env.',
    )
    .register(settingMeta, {
      applies: atRestart('owner_token'),
      secret: 'whole',
      old: [{ name: 'EXAI_WS_TOKEN' }],
    }),
  auth: section({
    requireToken: trueOrFalse
      .default(true)
      .describe(
        'Whether TCP clients on this machine need a token. `false`: programs of the same user need none, unless you set EXAI_TOKEN yourself; they get no access to files by naming roots. Beyond loopback a token is needed in any case.',
      )
      .register(settingMeta, { applies: atRestart('authentication') }),
    rotationGraceMs: wholeNumber(0, 24 * HOUR_MS)
      .default(300_000)
      .describe('How long the old token still works after it was replaced, in milliseconds.')
      .register(settingMeta, { applies: AT_RELOAD }),
  }),
  tls: section({
    cert: optionalPath
      .default('')
      .describe(
        'A file with the certificate of this daemon in PEM, its chain included. With tls.key it makes all of the port https:// and wss://.',
      )
      .register(settingMeta, { applies: atRestart('listener') }),
    key: optionalPath
      .default('')
      .describe('A file with the private key of tls.cert in PEM, without a password.')
      .register(settingMeta, { applies: atRestart('listener') }),
  }),
  listener: section({
    maxFrameBytes: wholeNumber(65_536, 1_073_741_824)
      .default(33_554_432)
      .describe('Largest message a client may send, in bytes.')
      .register(settingMeta, {
        applies: atRestart('listener'),
        old: [{ name: 'EXAI_WS_MAX_BYTES' }],
      }),
    helloTimeoutMs: wholeNumber(100, HOUR_MS)
      .default(15_000)
      .describe('How long a new WebSocket may take to say hello, in milliseconds.')
      .register(settingMeta, {
        applies: atRestart('listener'),
        old: [{ name: 'EXAI_WS_HELLO_TIMEOUT', unit: 'seconds' }],
      }),
    origins: list(pageOrigin)
      .default([])
      .describe(
        'Origins whose pages may connect beside our own: web sites such as http://localhost:3000, apps such as app://obsidian.md, extensions such as chrome-extension://<id>.',
      )
      .register(settingMeta, { applies: atRestart('listener') }),
    hosts: list(hostName)
      .default([])
      .describe(
        'Further names of this machine that clients may use in addresses, such as host.docker.internal or the name at a reverse proxy. `localhost`, the address and the names of the certificate are always accepted.',
      )
      .register(settingMeta, { applies: atRestart('listener') }),
    progressIntervalMs: wholeNumber(100, HOUR_MS)
      .default(8000)
      .describe('How often a running call tells a client of the EXAI frames so, in milliseconds.')
      .register(settingMeta, {
        applies: atRestart('listener'),
        old: [{ name: 'EXAI_WS_PROGRESS_INTERVAL_SECS', unit: 'seconds' }],
      }),
    pingIntervalMs: wholeNumber(100, HOUR_MS)
      .default(45_000)
      .describe('Time between two pings on a WebSocket, in milliseconds.')
      .register(settingMeta, {
        applies: atRestart('listener'),
        old: [{ name: 'EXAI_WS_PING_INTERVAL', unit: 'seconds' }],
      }),
    deadAfterMs: wholeNumber(100, HOUR_MS)
      .default(120_000)
      .describe(
        'How long a ping may stay unanswered before the connection is closed, in milliseconds.',
      )
      .register(settingMeta, {
        applies: atRestart('listener'),
        old: [{ name: 'EXAI_WS_PING_TIMEOUT', unit: 'seconds' }],
      }),
    maxBodyBytes: wholeNumber(1024, 1_073_741_824)
      .default(33_554_432)
      .describe('Largest body of an HTTP request, in bytes.')
      .register(settingMeta, { applies: atRestart('listener') }),
    sessionIdleMs: wholeNumber(1000, 24 * HOUR_MS)
      .default(1_800_000)
      .describe('How long an MCP session over HTTP may be unused before it ends, in milliseconds.')
      .register(settingMeta, { applies: atRestart('listener') }),
    streamAfterMs: wholeNumber(0, HOUR_MS)
      .default(1000)
      .describe(
        'How long an MCP answer over HTTP may take before it becomes a stream of events, in milliseconds; 0 streams every answer of a session.',
      )
      .register(settingMeta, { applies: atRestart('listener') }),
    streamForMs: wholeNumber(0, HOUR_MS)
      .default(0)
      .describe(
        'How long such a stream stays open before its client has to come back for the rest, in milliseconds; 0: without limit.',
      )
      .register(settingMeta, { applies: atRestart('listener') }),
    sseKeepaliveMs: wholeNumber(100, HOUR_MS)
      .default(15_000)
      .describe('Time between two signs of life on a stream of events, in milliseconds.')
      .register(settingMeta, { applies: atRestart('listener') }),
  }),
  compat: section({
    text: trueOrFalse
      .default(true)
      .describe(
        'Keep the plain `text` field beside `outputs` in `call_tool_res`, for older clients.',
      )
      .register(settingMeta, { applies: AT_RELOAD, env: ['EXAI_WS_COMPAT_TEXT'] }),
  }),
};
