import { CallError } from '#core/call-error.ts';
import type { Bound } from '#transport/http/bind.ts';
import {
  startListener,
  type HttpListener,
  type ListenerOptions,
} from '#transport/http/listener.ts';
import { isLoopback } from '#transport/http/loopback.ts';
import { findPortHolder, holderWords, type PortTaken } from './port-holder.ts';
import type { LoadedTls } from './tls-files.ts';

/** Where the daemon is reached over TCP. */
export interface TcpBound extends Bound {
  /** In PEM; with TLS only. */
  readonly certificate?: string;
}

export interface OpenTcp {
  readonly bound: TcpBound;
  readonly listener: HttpListener;
  /** The port that was wanted, where another program has it. */
  readonly portTaken?: PortTaken;
}

type Options = Omit<ListenerOptions, 'tls'> & { readonly tls?: LoadedTls | undefined };

/** Listens on the port, or on any free one if that will do. Says who has a port that is taken. */
export async function openTcp(
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
    if (whenTaken === 'fail') throw holder ? withHolder(thrown, holderWords(holder)) : thrown;
    return { ...(await listen(0)), portTaken: { port, ...(holder && { holder }) } };
  }
}

/** Clients compare the name they ask for with the certificate, so the URL has one that it is for. */
export function withTls(bound: Bound, tls: LoadedTls): TcpBound {
  const certificate = tls.leaf;
  if (tls.covers(bound.host)) return { ...bound, certificate };
  const names = tls.names.filter((name) => !name.startsWith('*'));
  const name = names.find((each) => !isLoopback(each)) ?? names[0];
  if (name === undefined) return { ...bound, certificate };
  return { ...bound, certificate, url: `https://${name}:${bound.port}` };
}

function withHolder({ message, field, fix, cause }: CallError, words: string): CallError {
  const facts = { ...(field !== undefined && { field }), ...(fix !== undefined && { fix }), cause };
  return new CallError('conflict', `${message} It is ${words}.`, facts);
}
