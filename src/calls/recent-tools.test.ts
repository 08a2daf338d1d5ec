import { expect } from 'vitest';
import { createFakeClock } from '../../test/fake-clock.ts';
import { verifies } from '../../test/verifies.ts';
import { createRecentTools } from './recent-tools.ts';

verifies(
  'stalls:watch',
  'tools of running calls are named, and of those that have just ended',
  () => {
    const clock = createFakeClock();
    const tools = createRecentTools(clock);
    tools.started('chat');
    tools.started('chat');
    tools.started('planner');
    tools.ended('chat');
    tools.ended('planner');
    expect(tools.names()).toEqual(['chat', 'planner']);
    clock.advance(1001);
    expect(tools.names()).toEqual(['chat']);
    tools.ended('chat');
    for (let n = 0; n < 20; n++) tools.started(`tool_${n}`);
    expect(tools.names()).toHaveLength(8);
  },
);
