/** Light and dark in the file itself, with a background of its own: a page that shows it may have either. */
export const style = `
svg{--paper:#fdfcf9;--ink:#1d1c1a;--soft:#5d5a54;--line:#6f6b64;--said:#7a3fa0;--frame:#d9d5cc;
--good:#16774a;--good-tint:#e4f3ea;--in-hand:#245fb5;--in-hand-tint:#e8f0fb;
--person:#b0430c;--person-tint:#fcebe0;--stopped:#676270;--stopped-tint:#efedf1;
--no:#f5f3ed;--perhaps:#fbf3dc;--yes:#eaf4ec}
@media (prefers-color-scheme:dark){svg{--paper:#17181b;--ink:#f0eee9;--soft:#aaa69d;--line:#98948b;--said:#cf9df0;--frame:#3b3c40;
--good:#58c48d;--good-tint:#16301f;--in-hand:#82b1f5;--in-hand-tint:#172740;
--person:#f79a63;--person-tint:#3a2213;--stopped:#b0aab9;--stopped-tint:#29272d;
--no:#1e1f22;--perhaps:#2a2619;--yes:#1a251d}}
text{font:12.5px system-ui,sans-serif;fill:var(--soft)}
.paper{fill:var(--paper)}
.area.no rect{fill:var(--no)}.area.perhaps rect{fill:var(--perhaps)}.area.yes rect{fill:var(--yes)}
.area text{font-size:14px;font-weight:600;fill:var(--ink)}
.box rect{fill:none;stroke:var(--frame);stroke-width:1.5}
.box text{font-size:14px;font-weight:600;fill:var(--ink)}
.route path{fill:none;stroke:var(--line);stroke-width:1.6}
.route.evidence>path{stroke:var(--said);stroke-dasharray:5 3}
.route.evidence text{fill:var(--said)}
.head path{fill:var(--line)}.head.evidence path{fill:var(--said)}
.station>rect{stroke-width:1.8}
.station>text{font-size:14.5px;font-weight:600;fill:var(--ink)}
.said text{font-size:12.5px;font-weight:400;fill:var(--said)}
.mark path{fill:none;stroke:var(--paper);stroke-width:1.8;stroke-linecap:round;stroke-linejoin:round}
.good>rect{fill:var(--good-tint);stroke:var(--good)}.good .mark>circle{fill:var(--good)}
.in-hand>rect{fill:var(--in-hand-tint);stroke:var(--in-hand)}.in-hand .mark>circle{fill:var(--in-hand)}
.needs-a-person>rect{fill:var(--person-tint);stroke:var(--person)}.needs-a-person .mark>.filled{fill:var(--person);stroke:var(--person)}
.stopped-on-purpose>rect{fill:var(--stopped-tint);stroke:var(--stopped)}.stopped-on-purpose .mark>rect{fill:var(--stopped)}
`;
