import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resetEmulator } from './control.ts';
import { createFaults } from './faults.ts';
import { systemNow } from './machine.ts';
import { createRequests, type SeenRequest } from './requests.ts';
import { serve, type EmulatorState } from './serve.ts';
import type { Fault, Vendor } from './vendor.ts';
import { createVendors } from './vendors.ts';

export interface EmulatorOptions {
  /** 0 for any free port. */
  readonly port?: number;
  readonly host?: string;
  readonly vendors?: readonly Vendor[];
  readonly now?: () => number;
  /** How long each event of a stream waits before it is written. */
  readonly pace?: { readonly chunkMs: number };
  /** Longer bodies of requests are not kept whole; default: 64 KiB. */
  readonly keptBodyBytes?: number;
}

export interface Emulator {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
  requests(filter?: { readonly vendor?: string; readonly last?: number }): readonly SeenRequest[];
  /** Plans one fault or several, as `POST /_faults` does; throws on what cannot be planned. */
  fault(plan: Fault | readonly Fault[]): void;
  clearFaults(): void;
  reset(): void;
  /** By the vendor's name; assigning to one sets it. */
  readonly switches: Readonly<Record<string, Record<string, unknown>>>;
}

/** The vendors on one port. Default: loopback, because every client that reaches it may control it. */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const { port = 0, host = '127.0.0.1', now = systemNow, pace } = options;
  const vendors = (options.vendors ?? createVendors()).toSorted(
    (a, b) => b.prefix.length - a.prefix.length,
  );
  const emulator: EmulatorState = {
    vendors,
    faults: createFaults(vendors),
    requests: createRequests(options.keptBodyBytes),
    now,
    chunkMs: pace?.chunkMs ?? 0,
  };
  const server = createServer(
    { noDelay: true, requestTimeout: 0, keepAliveTimeout: 60_000 },
    (req, res) => {
      serve(emulator, req, res).catch(() => {
        // The client went away while its request was read; there is no client to answer.
        res.destroy();
      });
    },
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address() as AddressInfo;
  const shownHost = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    url: `http://${shownHost}:${address.port}`,
    port: address.port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
    requests: (filter) => emulator.requests.list(filter),
    fault: (plan) => void emulator.faults.plan(plan),
    clearFaults() {
      emulator.faults.clear();
    },
    reset() {
      resetEmulator(emulator);
    },
    switches: Object.fromEntries(
      vendors.map((vendor) => [vendor.name, vendor.switches as Record<string, unknown>]),
    ),
  };
}
