/** Refusals that a request can meet, by the status of their answers: each code with what to do about it. */
export const requestRefusals = {
  // What was sent is not as it must be.
  400: {
    ambiguous_reference: 'Give the number of the one delivery that you mean; `deliveries list` shows it.',
    bad_request: 'Check the address and the body: this is no request that can be understood.',
    body_character: 'Take NUL and halves of Unicode characters out of the text.',
    body_missing: 'Send a JSON body, with `content-type: application/json`.',
    body_too_big: 'Shorten the mail: text and html together may have 1 MiB. Link to what is long.',
    from_invalid: 'Give a sender of the form `Name <name@example.com>`.',
    header_forbidden: 'Leave out headers that are written from the mail itself, such as To or Date.',
    header_injection: 'Take line breaks out of headers.',
    header_name: 'Name headers with letters, digits, - and _, and each once.',
    header_too_long: 'Shorten the header to 998 octets.',
    html_empty: 'Let the template give html.',
    invalid_address:
      'Give one address such as `name@example.com`; the sentence says what is wrong with this one.',
    invalid_canary:
      'Give a whole number for the canary, a duration such as `2h`, and no more bounces than mails.',
    invalid_config: 'Correct the configuration of the alert as the sentence says; a newsletter has none.',
    invalid_contact: 'Give one address such as `name@example.com`.',
    invalid_encoding: 'Send text in UTF-8.',
    invalid_entity: "Give the entity's fiscal code, 2 to 10 digits, for a newsletter, and none for an alert.",
    invalid_identity: 'Give source, occasion and recipient as short texts in one line.',
    invalid_intent:
      'Correct the part that the details name: texts in one line, times in whole milliseconds, values that are JSON.',
    invalid_lane: 'Use `urgent`, `normal` or `bulk`.',
    invalid_limit: 'Give a whole number from 1 on.',
    invalid_locale: 'Use a language that there is; the sentence lists them.',
    invalid_max: 'Give a whole number of mails from 1 on, or none.',
    invalid_notification_type: 'Use one of the types that the sentence lists.',
    invalid_page: 'Ask with the `after` that the last page gave, or without one.',
    invalid_period: 'Write a year as `2025`, a quarter as `2025-Q1`, a month as `2025-01`.',
    invalid_preferences: 'Correct the wish that the sentence names.',
    invalid_request: 'Correct what `details.problems` names; `/docs` has the shape.',
    invalid_snooze: 'Give a moment in the future, within the bounds that the sentence names.',
    invalid_type: 'Use one of the types that the sentence lists.',
    invalid_user: 'Give one user id: 1 to 128 letters, digits and `_ . @ | -`.',
    invalid_variable: 'Correct the variable that the sentence names.',
    invalid_window: 'Give two minutes of the day that differ, or none.',
    line_too_long: 'Give a table: this file has a line of more than a million characters.',
    mail_too_big: 'Use fewer or shorter headers and tags.',
    malformed_json: 'Mend the JSON at the place that the sentence names.',
    message_ambiguous: 'Give more of the id.',
    missing_locale: 'Use a language that the template is written in; the sentence lists them.',
    missing_sample: 'Use a sample that the sentence lists.',
    missing_signature: 'Only Resend posts here: it sends the `svix-` headers with every event.',
    missing_template: 'Use a template that the sentence lists.',
    missing_variable: 'Give the variable that the sentence names.',
    not_json: 'Mend the JSON, or give CSV.',
    not_text: 'Save the file as UTF-8; from a spreadsheet as CSV (UTF-8).',
    nothing_to_change: 'Name something to change.',
    period_not_over: 'Choose a period that is over; the sentence names the last.',
    reason_required: 'Say why: it is kept with what was done.',
    reply_to_invalid: 'Give a reply-to of the form `Name <name@example.com>`.',
    subject_empty: 'Give a subject.',
    subject_encoded: 'Give the subject as it is to be read, without `=?…?=`.',
    subject_injection: 'Take line breaks out of the subject.',
    subject_too_long: 'Shorten the subject to 998 octets.',
    tag_alphabet: 'Use A-Z, a-z, 0-9, _ and - in tags.',
    tag_count: 'Use at most 75 tags.',
    template_failed: 'Look into the log: the template threw, which is a bug of it.',
    text_empty: 'Let the template give a text.',
    to_invalid: 'Give one recipient such as `name@example.com`.',
    unknown_columns: 'Name the columns as the sentence says.',
    unknown_source: 'Use a source that the sentence lists.',
    user_required: "Send the user's id as `X-User-Id`.",
    variable_too_long: 'Shorten the variable that the sentence names.',
    variables_too_big: 'Shorten the variables to 1 MiB of JSON, or link to the details.',
  },
  // Who asks has not shown who they are.
  401: {
    invalid_signature:
      'Set `RESEND_WEBHOOK_SECRET` to the secret of this webhook, and look at the clock of the machine.',
    key_required: 'Send `Authorization: Bearer <key>` with a key of the deployment.',
    missing_password: 'Give the provider the URL with user and password: `https://any:password@…/postmark`.',
    wrong_password: 'Set `POSTMARK_WEBHOOK_PASSWORD` to the password in the URL of the webhook.',
  },
  // Who asks may not.
  403: {
    cross_site:
      'Ask from the console itself, the command line or a program with a key; pages of others are not heard.',
    foreign_host:
      'Ask for `localhost` or `127.0.0.1`, or set `OPERATOR_API_KEY`: without keys only this machine is answered.',
    foreign_request: 'Ask directly, not through a proxy, or set `OPERATOR_API_KEY`.',
    role_required: 'Use a key of the role that the sentence names.',
  },
  // It is not there.
  404: {
    console_file_not_found: 'Load the page again: the console was built anew.',
    delivery_not_found: 'Give its number, UUID, key or message id; `deliveries list` shows them.',
    inbox_not_here:
      'Mail leaves by a real provider; `deliveries list` says what became of it. The inbox is there with `MAIL_PROVIDER=capture`.',
    job_not_found: '`reviews list`, or for queues `queue failed`, shows those there are.',
    mail_not_found: 'Nothing was written yet, or retention has deleted it; `deliveries show` says which.',
    message_not_found: '`tidings inbox` lists the mails there are.',
    not_found: 'Look the address up in `/docs`.',
    not_paused: 'Nothing: that is not paused. `GET /api/v1/pauses` lists what is.',
    not_suppressed:
      'Nothing: the address is not on the list for that scope, or by its own word, which `isTheirOwn` may lift.',
    notification_not_found: '`GET /api/v1/notifications` lists those of this user.',
    preview_not_found:
      'Use a preview that the sentence lists; where previews are off, set `EMAIL_PREVIEW_ENABLED=true`, never in production.',
    run_not_found: '`tidings runs list` shows those there are.',
    samples_not_here: '`npm start` with nothing configured and an empty database has the samples.',
    section_not_found: 'Search the catalog: `GET /api/v1/seats/courses?q=`, or the page `/seats`.',
    subscription_not_found: 'Take the link of the newest mail; this one opens no watch.',
  },
  405: {
    method_not_allowed: 'Use a method that the sentence names.',
  },
  408: {
    request_timeout: 'Send the request faster, or over a better line.',
  },
  // It is there, and stands otherwise.
  409: {
    all_months_told: 'Nothing: the samples have told all they have. Start anew with an empty database.',
    all_seats_opened: 'Wait a minute: an opening is told once, and every sample section was opened just now.',
    already_watching: 'Nothing: this section is watched already.',
    asked_too_often: 'Confirm with a mail that came already, or wait a day.',
    chaos_not_here: 'Try it where `TIDINGS_ENV` is not `production`.',
    escalated:
      'Somebody must decide: it was tried again and ended in the same way. An operator key, or `tidings reviews retry`, may.',
    killing_already: 'Wait for the worker that is being killed.',
    left: 'Take it back within a day, or watch the section again.',
    not_confirmed: 'Confirm the address with the link in its mail first.',
    notification_conflict: 'Use the notification that `details.id` names.',
    plan_expired: 'Make a new plan: this one is a day old or older.',
    plan_used: 'Nothing: this plan was applied already. `runs show` says how far it is.',
    rerun_required: 'Ask for it in so many words: `rerun: true`, or `--rerun`.',
    run_not_changed:
      'Nothing: the run is in a state from which this is not possible; `runs show` says which.',
    section_conflict: 'Use the campus that `details.campus` names.',
    stale_review_version: 'Submit a higher version than `details.latest_version`.',
    suppressed: 'Use another address: mail to this one came back or was complained about.',
    too_late: 'Watch the section again: a day is over.',
    too_many_notifications: 'End a notification of this user first.',
    too_many_watches: 'End a watch first.',
    worker_not_sending: 'Wait a moment, and look whether everything is paused.',
  },
  413: {
    body_too_large: 'Send less at a time; the sentence says how much is taken here.',
  },
  414: {
    address_too_long: 'Shorten the address of the request; put what is long into a body.',
  },
  415: {
    unsupported_media_type: 'Send JSON, with `content-type: application/json`.',
  },
  // It can be read, and makes no sense.
  422: {
    invalid_review: 'Correct what `details.problems` names.',
    recipient_unknown: 'Choose among the reviewers of this job.',
  },
  // Later.
  429: {
    rate_limited:
      'Wait as long as `retry-after` says, or end a watch first; `details.limit` says whose limit it is.',
    too_many_requests: 'Wait as long as the answer says.',
  },
  431: {
    headers_too_large: 'Send fewer or shorter headers.',
  },
  500: {
    unexpected: 'Look into the log under the trace id: this is ours, not yours.',
  },
  // Not now.
  503: {
    console_not_built: '`npm run build`, and start the server again.',
    try_again: 'Ask again in a while, as `retry-after` says: the database could not be asked.',
    webhooks_not_set_up: 'Set the secret that the sentence names, and start again.',
  },
} as const;
