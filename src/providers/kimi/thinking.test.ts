import { describe, expect, test } from 'vitest';
import type { ChatRequest } from '#core/llm/chat.ts';
import { notice } from '#core/messages/notices.ts';
import { verifies } from '../../../test/verifies.ts';
import { writeKimiRequest } from './request.ts';
import { K3, K26, K27, V1, TOOL, ask, body, notices } from './write-request.fixture.ts';

describe('thinking (1.3)', () => {
  const members = (more: Partial<ChatRequest>, model = K26) => {
    const { thinking, reasoning_effort: effort } = body(more, model);
    return { thinking, effort };
  };

  verifies(
    'provider:facts',
    'Kimi thinking: a model with a switch is set on or off, and what to keep',
    () => {
      expect(members({ thinking: { mode: 'off' } })).toEqual({ thinking: { type: 'disabled' } });
      expect(members({ thinking: { mode: 'on' } })).toEqual({ thinking: { type: 'enabled' } });
      expect(members({ thinking: { mode: 'on', keep: 'all' } })).toEqual({
        thinking: { type: 'enabled', keep: 'all' },
      });
      expect(members({ thinking: { mode: 'on', keep: 'none' } })).toEqual({
        thinking: { type: 'enabled', keep: null },
      });
      expect(members({})).toEqual({});
    },
  );

  verifies(
    'provider:facts',
    'Kimi thinking: what cannot be turned off is never switched off',
    () => {
      expect(members({ thinking: { mode: 'off' } }, K27)).toEqual({});
      expect(notices({ thinking: { mode: 'off' } }, K27)).toEqual([
        notice('thinking_stays_on', { model: 'Kimi K2.7 Code' }),
      ]);
      expect(members({ thinking: { mode: 'off' } }, K3)).toEqual({ effort: 'low' });
      expect(notices({ thinking: { mode: 'off' } }, K3)).toEqual([
        notice('thinking_stays_on', { model: 'Kimi K3', effort: 'low' }),
      ]);
      expect(members({ thinking: { mode: 'on' } }, K3)).toEqual({});
    },
  );

  verifies(
    'provider:facts',
    'Kimi thinking: an effort that a model does not know becomes the nearest',
    () => {
      const efforts = { low: 'low', medium: 'high', high: 'high', max: 'max' } as const;
      for (const [effort, sent] of Object.entries(efforts))
        expect(
          members({ thinking: { mode: 'on', effort: effort as keyof typeof efforts } }, K3),
        ).toEqual({ effort: sent });
      expect(notices({ thinking: { mode: 'on', effort: 'medium' } }, K3)).toEqual([
        notice('effort_changed', { model: 'Kimi K3', effort: 'medium', sent: 'high' }),
      ]);
      expect(members({ thinking: { mode: 'on', effort: 'max' } }, K26)).toEqual({
        thinking: { type: 'enabled' },
      });
      expect(notices({ thinking: { mode: 'on', effort: 'max' } }, K26)).toHaveLength(1);
    },
  );

  test('a model that does not think is asked without thinking, with a notice', () => {
    expect(members({ thinking: { mode: 'on' } }, V1)).toEqual({});
    expect(notices({ thinking: { mode: 'on' } }, V1)).toEqual([
      notice('thinking_unsupported', { model: 'Moonshot v1 32k' }),
    ]);
    expect(notices({ thinking: { mode: 'off' } }, V1)).toEqual([]);
  });
});

describe('tool choice (1.3)', () => {
  const of = (more: Partial<ChatRequest>, model = K26) => {
    const { thinking, tool_choice: choice } = body({ tools: [TOOL], ...more }, model);
    return { thinking, choice };
  };
  const named = { type: 'function', function: { name: 'look' } };

  verifies(
    'provider:facts',
    'Kimi tool_choice: a tool is forced while thinking is off, which gives way, with a notice if it was asked for',
    () => {
      expect(of({ toolChoice: 'required' })).toEqual({
        thinking: { type: 'disabled' },
        choice: 'required',
      });
      expect(of({ toolChoice: { name: 'look' }, thinking: { mode: 'off' } })).toEqual({
        thinking: { type: 'disabled' },
        choice: named,
      });
      expect(notices({ tools: [TOOL], toolChoice: 'required' })).toEqual([]);
      expect(of({ toolChoice: 'required', thinking: { mode: 'on' } })).toEqual({
        thinking: { type: 'disabled' },
        choice: 'required',
      });
      expect(notices({ tools: [TOOL], toolChoice: 'required', thinking: { mode: 'on' } })).toEqual([
        notice('thinking_off_for_tool', { model: 'Kimi K2.6', provider: 'Kimi' }),
      ]);
    },
  );

  verifies(
    'provider:facts',
    'Kimi tool_choice: K3 takes required while it thinks, and a named tool is then the only one',
    () => {
      const other = { ...TOOL, name: 'other' };
      const both = { tools: [TOOL, other] };
      expect(body({ ...both, toolChoice: 'required' }, K3)).toMatchObject({
        tool_choice: 'required',
        tools: [{ function: { name: 'look' } }, { function: { name: 'other' } }],
      });
      const one = body({ ...both, toolChoice: { name: 'other' } }, K3);
      expect(one).toMatchObject({
        tool_choice: 'required',
        tools: [{ function: { name: 'other' } }],
      });
      expect(one['tools']).toHaveLength(1);
      expect(notices({ ...both, toolChoice: { name: 'other' } }, K3)).toEqual([]);
    },
  );

  verifies(
    'provider:facts',
    'Kimi tool_choice: a model that takes no force while it thinks is told in words',
    () => {
      const written = writeKimiRequest(ask({ tools: [TOOL], toolChoice: 'required' }), K27);
      expect(written).toMatchObject({
        body: { tool_choice: 'auto' },
        demand: 'required',
        demandBy: 'words',
        notices: [],
      });
      const search = ask({ tools: [TOOL], toolChoice: 'required', webSearch: {} });
      expect(writeKimiRequest(search, K3)).toMatchObject({
        body: { tool_choice: 'auto' },
        demandBy: 'words',
      });
    },
  );

  test('none and auto always work, and without tools there is no choice', () => {
    expect(of({ toolChoice: 'none', thinking: { mode: 'on' } })).toMatchObject({ choice: 'none' });
    expect(of({ toolChoice: 'auto' })).toEqual({});
    expect(body({ toolChoice: 'none' })).not.toHaveProperty('tool_choice');
    expect(writeKimiRequest(ask({ tools: [TOOL], toolChoice: 'none' }), K26).tools).toEqual([]);
  });
});
