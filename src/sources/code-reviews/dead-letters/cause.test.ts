import { describe, expect, test } from 'vitest';
import { evidenceEvents } from '../../../domain/evidence.ts';
import { arrows } from '../../../domain/lifecycle.ts';
import { statuses } from '../../../domain/status.ts';
import { causeOf, endings } from './cause.ts';

describe('why a delivery has ended, and whom that asks', () => {
  test.each([
    ['unsendable', 'invalid_recipient', '', 'permanent_recipient', 'compose', 'caller'],
    ['unsendable', 'missing_variable', '', 'permanent_content', 'compose', 'caller'],
    ['unsendable', 'body_too_big', '', 'permanent_content', 'compose', 'caller'],
    ['unsendable', 'template_failed', '', 'permanent_content', 'compose', 'operator'],
    ['refused_for_good', 'mailbox_unknown', '', 'permanent_recipient', 'send', 'caller'],
    ['refused_for_good', 'validation_error', 'Invalid `to` field.', 'permanent_recipient', 'send', 'caller'],
    ['refused_for_good', 'validation_error', 'Invalid `from` field.', 'permanent_policy', 'send', 'operator'],
    ['refused_for_good', 'policy', '5.7.1 rejected', 'permanent_policy', 'send', 'operator'],
    ['refused_for_good', 'message_too_big', '', 'permanent_content', 'send', 'caller'],
    ['gave_up', 'busy', '', 'exhausted', 'send', 'operator'],
    ['provider_failed', 'failed', 'domain not verified', 'permanent_policy', 'delivery', 'operator'],
    ['bounced_for_good', 'bounced', '', 'bounced', 'delivery', 'caller'],
    ['bounced_for_now', 'bounced', '', 'bounced', 'delivery', 'caller'],
    ['over_quota', 'quota', '', 'exhausted', 'delivery', 'operator'],
    ['provider_suppressed', 'x', '', 'suppressed', 'delivery', 'operator'],
    ['address_suppressed', 'x', '', 'suppressed', 'gate', 'operator'],
    ['unsubscribed', 'x', '', 'unsubscribed', 'gate', 'caller'],
    ['no_address', 'no_address', '', 'permanent_recipient', 'compose', 'caller'],
    ['ineligible', 'x', '', 'permanent_policy', 'gate', 'operator'],
    ['expired', 'x', '', 'expired', 'gate', 'operator'],
    ['undecidable', 'x', '', 'unknown_outcome', 'reconcile', 'operator'],
    ['resolved_closed', 'x', '', 'unknown_outcome', 'reconcile', 'operator'],
  ])('%s (%s %s): %s at %s asks the %s', (event, code, message, errorClass, step, asks) => {
    expect(causeOf({ event, from: 'sending', error: { code, message } })).toEqual({ errorClass, step, asks });
  });

  test('a worker that died over it again and again', () => {
    const crash = { event: 'gave_up', from: 'claimed', error: { code: 'crashes_worker' } };
    expect(causeOf(crash)).toEqual({ errorClass: 'crashed', step: 'compose', asks: 'operator' });
  });

  test('every event of the life cycle that ends a delivery unsent is among the ends', () => {
    const isEnd = (status: keyof typeof statuses) =>
      (statuses[status].isFinal && statuses[status].mailExists !== 'yes') || status === 'needs_review';
    const byWork = Object.values(arrows).flatMap((row) =>
      Object.entries(row).flatMap(([event, { to }]) => (isEnd(to) ? [event] : [])),
    );
    const byEvidence = Object.entries(evidenceEvents).flatMap(([event, { next }]) =>
      isEnd(next) && event !== 'complained' ? [event] : [],
    );
    const all = new Set([...byWork, ...byEvidence, 'bounced_for_now', 'over_quota']);
    expect([...endings].sort()).toEqual([...all].sort());
  });
});
