export interface QueuedEvent {
  readonly at: number;
  /** Decides between events of the same moment. */
  readonly tie: number;
  readonly act: () => void;
  isStopped: boolean;
}

export interface EventQueue {
  add(event: QueuedEvent): void;
  /** The next that was not stopped. */
  take(): QueuedEvent | undefined;
}

/** A binary heap by moment and tie; what is stopped stays in it until its turn. */
export function createEventQueue(): EventQueue {
  const heap: QueuedEvent[] = [];
  const at = (index: number) => heap[index] as QueuedEvent;
  const isBefore = (a: QueuedEvent, b: QueuedEvent) =>
    a.at < b.at || (a.at === b.at && a.tie < b.tie);

  function rise(from: number): void {
    const event = at(from);
    let index = from;
    for (let up = (index - 1) >> 1; index > 0 && isBefore(event, at(up)); up = (index - 1) >> 1) {
      heap[index] = at(up);
      index = up;
    }
    heap[index] = event;
  }

  function sink(event: QueuedEvent): void {
    let index = 0;
    for (let down = 1; down < heap.length; down = 2 * index + 1) {
      if (down + 1 < heap.length && isBefore(at(down + 1), at(down))) down += 1;
      if (!isBefore(at(down), event)) break;
      heap[index] = at(down);
      index = down;
    }
    heap[index] = event;
  }

  function takeAny(): QueuedEvent | undefined {
    const first = heap[0];
    const last = heap.pop();
    if (last && heap.length > 0) sink(last);
    return first;
  }

  return {
    add(event) {
      heap.push(event);
      rise(heap.length - 1);
    },
    take() {
      let event = takeAny();
      while (event?.isStopped) event = takeAny();
      return event;
    },
  };
}
