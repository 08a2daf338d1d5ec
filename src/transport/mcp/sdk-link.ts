import { CallError } from '#core/call-error.ts';
import type { Log } from '#core/telemetry.ts';
import type { Channel } from '../channel.ts';
import { createHeldMessages, type HeldMessages } from './held-messages.ts';
import type { InFlight } from './in-flight.ts';
import { errorReply, INTERNAL_ERROR } from './json-rpc.ts';
import type { Era } from './protocol-era.ts';
import type { RpcMessage } from './read-message.ts';
import type { ConnectSdk, SdkSide, SdkSideOptions } from './sdk-side.ts';

/** A connection's way to the SDK, which is not loaded before there is something for it. */
export interface SdkLink {
  /** `before`: the era until this message. */
  deliver(message: RpcMessage, before: Era): void;
  /** Whether it has been needed. */
  isInUse(): boolean;
  /** We answered this ourselves; the SDK hears of it should it ever be needed. */
  recall(message: RpcMessage): void;
  /** Keeps a message while the SDK loads, so that the client is served in the order it spoke. */
  hold(text: string): 'not_loading' | 'held' | 'full';
  isLoading(): boolean;
  /** The same as those of SdkSide, and nothing where the SDK is not in use. */
  settle(era: Era): void;
  toolsChanged(): void;
  end(): void;
  drop(): void;
}

export interface SdkLinkOptions extends Pick<SdkSideOptions, 'serverInfo' | 'instructions'> {
  readonly channel: Channel;
  readonly inFlight: InFlight;
  readonly session: string;
  readonly log: Log;
  readonly load: () => Promise<ConnectSdk>;
  /** Something that was waited for came to its end. */
  readonly onSettled: () => void;
  /** Takes a message that was held. */
  readonly onReleased: (text: string) => void;
}

const NORMAL_CLOSURE = 1000;

export function createSdkLink(options: SdkLinkOptions): SdkLink {
  const { channel, inFlight, log } = options;
  let side: SdkSide | undefined;
  let held: HeldMessages | undefined;
  let recalled: RpcMessage[] = [];
  let isOver = false;
  let isOddTold = false;

  const close = () => channel.close(NORMAL_CLOSURE, '');

  async function attach(first: RpcMessage, era: Era): Promise<void> {
    try {
      const connect = await options.load();
      if (isOver) return;
      side = connect(sideOptions(recalled.length > 0 ? 'opening' : era));
      for (const message of recalled) side.recall(message);
      recalled = [];
      side.deliver(first);
    } catch (thrown) {
      log.error('mcp_sdk_unavailable', { error: CallError.from(thrown) });
      if (first.is === 'request') {
        inFlight.remove(first.id);
        const words = 'A part of EX-AI could not be loaded. Restart it with: exai stop';
        channel.send(errorReply(first.id, INTERNAL_ERROR, words));
      }
    }
    const texts = held?.texts ?? [];
    held = undefined;
    for (const text of texts) options.onReleased(text);
    options.onSettled();
  }

  function sideOptions(era: Era): SdkSideOptions {
    return {
      serverInfo: options.serverInfo,
      instructions: options.instructions,
      era,
      send: (text) => channel.send(text),
      onAnswered(id) {
        inFlight.remove(id);
        options.onSettled();
      },
      onClosed: close,
      onOdd() {
        // Once for each client: one that is wrong is wrong again and again.
        if (!isOddTold) log.info('mcp_odd_message', { session: options.session });
        isOddTold = true;
      },
    };
  }

  return {
    deliver(message, before) {
      if (side) return side.deliver(message);
      // Before the SDK runs nothing was asked of the client, so this answers nothing.
      if (message.is === 'response') return;
      held = createHeldMessages();
      void attach(message, before);
    },
    isLoading: () => held !== undefined,
    isInUse: () => side !== undefined || held !== undefined,
    recall: (message) => void recalled.push(message),
    hold: (text) => (held ? held.hold(text) : 'not_loading'),
    settle: (era) => side?.settle(era),
    toolsChanged: () => side?.toolsChanged(),
    end() {
      isOver = true;
      if (side) side.end();
      else close();
    },
    drop() {
      isOver = true;
      held = undefined;
      side?.drop();
    },
  };
}
