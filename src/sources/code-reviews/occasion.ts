export const reviewSource = 'code-reviews';

/**
 * What reviewers are told of: a version of a change list. The version is what follows the last colon, so that no two pairs have one
 * text, whatever is in the change list's name. With the recipient it is the delivery's identity, and its provider's key follows from
 * the three (003-6.4-2).
 */
export const occasionOf = (changelistId: string, version: number) => `${changelistId}:${version}`;
