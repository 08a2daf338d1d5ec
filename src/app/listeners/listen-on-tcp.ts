import { CallError } from '#core/errors/call-error.ts';
import {
  startListener,
  type BoundAddress,
  type HttpListener,
  type ListenerOptions,
} from '#transport/http/listener.ts';
import { isLoopback } from '#transport/http/peer-address.ts';
import {
  describeHolder,
  describeTaken,
  inspectTakenPort,
  OTHER_EXAI_FIX,
  type PortTaken,
} from './port-holder.ts';
import type { LoadedTls } from './tls-files.ts';

/** The TCP address of the daemon. */
export interface TcpBound extends BoundAddress {
  /** In PEM; undefined without TLS. */
  readonly certificate?: string;
}

export interface OpenTcp {
  readonly bound: TcpBound;
  readonly listener: HttpListener;
  /** The configured port, if another program holds it. */
  readonly portTaken?: PortTaken;
}

type Options = Omit<ListenerOptions, 'tls'> & { readonly tls?: LoadedTls | undefined };

/**
 * Listens on the port, or on any free one if allowed. Errors name the program that holds the port.
 */
export async function listenOnTcp(
  { tls, ...options }: Options,
  whenTaken: 'fail' | 'any_free',
): Promise<OpenTcp> {
  const listen = async (port: number) => {
    const listener = await startListener({ ...options, port, ...(tls && { tls }) });
    return { listener, bound: tls ? withTls(listener.bound, tls) : listener.bound };
  };
  try {
    return await listen(options.port);
  } catch (thrown) {
    if (!(thrown instanceof CallError) || thrown.class !== 'conflict') throw thrown;
    const { port } = options;
    const portTaken = await inspectTakenPort(port, options.clock);
    options.log.warn('port_taken', { ...portTaken });
    if (whenTaken === 'fail') throw withHolder(thrown, portTaken);
    return { ...(await listen(0)), portTaken };
  }
}

/** Clients compare the host with the certificate, so the URL has a name that it is valid for. */
export function withTls(bound: BoundAddress, tls: LoadedTls): TcpBound {
  const certificate = tls.leaf;
  if (tls.covers(bound.host)) return { ...bound, certificate };
  const names = tls.names.filter((name) => !name.startsWith('*'));
  const name = names.find((each) => !isLoopback(each)) ?? names[0];
  if (name === undefined) return { ...bound, certificate };
  return { ...bound, certificate, url: `https://${name}:${bound.port}` };
}

function withHolder(error: CallError, taken: PortTaken): CallError {
  const { message, field, fix, cause } = error;
  const { port, holder, exaiVersion } = taken;
  if (exaiVersion !== undefined) {
    const about = `Port ${port} is taken by ${describeTaken(taken)}, which has another EXAI_HOME.`;
    return new CallError('conflict', about, { field: 'port', fix: OTHER_EXAI_FIX, cause });
  }
  if (!holder) return error;
  const facts = { ...(field !== undefined && { field }), ...(fix !== undefined && { fix }), cause };
  return new CallError('conflict', `${message} It is ${describeHolder(holder)}.`, facts);
}
