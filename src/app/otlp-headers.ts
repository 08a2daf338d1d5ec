import { CallError } from '#core/call-error.ts';
import { fix } from '#core/messages/fixes.ts';

/** `name=value` pairs separated by commas, values percent-encoded: the form OpenTelemetry gives this setting. */
export function otlpHeaders(text: string): Record<string, string> {
  const pairs = text
    .split(',')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '');
  return Object.fromEntries(pairs.map(toHeader));
}

function toHeader(pair: string): [name: string, value: string] {
  const at = pair.indexOf('=');
  const name = pair.slice(0, Math.max(at, 0)).trim();
  try {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) throw new URIError(name);
    return [name, decodeURIComponent(pair.slice(at + 1).trim())];
  } catch (cause) {
    // The pair itself may be a secret, so it is not shown.
    throw new CallError(
      'validation',
      'tracing.headers must be name=value pairs separated by commas.',
      {
        field: 'OTEL_EXPORTER_OTLP_HEADERS',
        fixes: [
          fix('set_setting', {
            setting: 'OTEL_EXPORTER_OTLP_HEADERS',
            value: 'pairs such as api-key=abc,team=one',
          }),
        ],
        cause,
      },
    );
  }
}
