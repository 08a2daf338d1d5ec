const PLACE = { at: 'description' };

/** Parameters of each reason of the scanner. */
export const SCAN_REASON_SAMPLES = {
  scan_instruction_override: [PLACE],
  scan_prompt_disclosure: [PLACE],
  scan_concealment: [PLACE],
  scan_user_override: [PLACE],
  scan_argument_override: [PLACE],
  scan_scripted_message: [PLACE],
  scan_role_claim: [PLACE],
  scan_delayed_change: [PLACE],
  scan_secret_transfer: [PLACE],
  scan_secret_access: [PLACE],
  scan_side_channel: [PLACE],
  scan_command: [PLACE],
  scan_preference: [PLACE],
  scan_context_request: [PLACE],
  scan_hidden_markup: [PLACE],
  scan_bidirectional_characters: [PLACE],
  scan_control_characters: [PLACE],
  scan_mixed_scripts: [PLACE],
  scan_tool_interference: [{ ...PLACE, tool: 'send_email' }],
  scan_invisible_characters: [
    { ...PLACE, count: 1 },
    { ...PLACE, count: 2 },
  ],
  scan_encoded_payload: [{ ...PLACE, encoding: 'base64' }],
  scan_capability_mismatch: [{ ...PLACE, capability: 'it deletes files' }],
  scan_shadowed_tool: [{ ...PLACE, server: 'github' }],
  scan_other_tool: [{ ...PLACE, server: 'github', tool: 'send_email' }],
  scan_order_signs: [
    { ...PLACE, signs: ['secret_taken'] },
    { ...PLACE, signs: ['sent_also', 'kept_from_user'] },
  ],
  scan_wording: [PLACE],
  scan_too_large: [{ ...PLACE, maxChars: 262_144 }],
} as const;
