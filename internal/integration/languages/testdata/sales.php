<?php
// Two sales, their sum, and a refusal.
[, $base, $key] = $argv;

function call(string $method, string $path, ?array $body = null): array {
    global $base, $key;
    $options = ['method' => $method, 'ignore_errors' => true,
        'content' => $body === null ? '' : json_encode($body),
        'header' => ["Authorization: Bearer $key", 'Content-Type: application/json',
            'Amounts: string']];
    $context = stream_context_create(['http' => $options]);
    $answer = file_get_contents("$base/api/v1$path", false, $context);
    return [$http_response_header, json_decode($answer, true, 512, JSON_THROW_ON_ERROR)];
}

foreach (['order-1' => '0.1', 'order-2' => '0.2'] as $order => $total) {
    [, $sale] = call('POST', '/sales', ['referralId' => 'ada', 'email' => "$order@example.net",
        'name' => 'Kim', 'externalId' => $order, 'totalEarned' => $total]);
    if ($sale === null) {
        exit("not recorded: $order\n");
    }
}
[, $sales] = call('GET', '/sales');
$sum = array_reduce($sales, fn ($sum, $sale) => bcadd($sum, $sale['totalEarned'], 4), '0');
echo rtrim($sum, '0'), "\n";
[$headers] = call('POST', '/sales', ['referralId' => 'ada', 'email' => 'kim@example.net',
    'totalEarned' => var_export(0.1 + 0.2, true)]);
$errors = preg_replace('/^.*: /', '', preg_grep('/^Error-/', $headers));
echo explode(' ', $headers[0])[1], ' ', implode(' ', $errors), "\n";
