import { CallError } from '#core/errors/call-error.ts';
import {
  startListener,
  type BoundAddress,
  type HttpListener,
  type ListenerOptions,
} from '#transport/http/listener.ts';
import { isLoopback } from '#transport/http/peer-address.ts';
import { findPortHolder, describeHolder, type PortTaken } from './port-holder.ts';
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
    const holder = await findPortHolder(port);
    options.log.warn('port_taken', { port, ...(holder && { holder }) });
    if (whenTaken === 'fail') throw holder ? withHolder(thrown, describeHolder(holder)) : thrown;
    return { ...(await listen(0)), portTaken: { port, ...(holder && { holder }) } };
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

function withHolder({ message, field, fix, cause }: CallError, holder: string): CallError {
  const facts = { ...(field !== undefined && { field }), ...(fix !== undefined && { fix }), cause };
  return new CallError('conflict', `${message} It is ${holder}.`, facts);
}
