<?php
// Two sales, their sum, and a refusal, by the client that was generated.

namespace GuzzleHttp\Psr7 {
    require 'GuzzleHttp/autoload.php';
    if (!function_exists('GuzzleHttp\Psr7\build_query')) { // which version 2 has elsewhere
        function build_query(array $params): string
        {
            return Query::build($params);
        }
    }
}

namespace {
    use OpenAPI\Client\{Api\SalesApi, ApiException, Configuration, Model\RecordSaleRequest};

    [, $directory, $base, $key] = $argv;
    spl_autoload_register(function (string $class) use ($directory) {
        $name = substr($class, strlen('OpenAPI\\Client\\'));
        require $directory . '/lib/' . strtr($name, '\\', '/') . '.php';
    });

    $config = (new Configuration())->setHost($base)->setAccessToken($key);
    $sales = new SalesApi(new GuzzleHttp\Client(['headers' => ['Amounts' => 'string']]), $config);

    function record(string $order, string $total): void
    {
        global $sales;
        $sales->recordSale(new RecordSaleRequest(['referral_id' => 'ada', 'name' => 'Kim',
            'email' => "$order@example.net", 'external_id' => $order, 'total_earned' => $total]));
    }

    record('order-1', '0.1');
    record('order-2', '0.2');
    $add = fn ($sum, $sale) => bcadd($sum, $sale->getTotalEarned(), 4);
    $sum = array_reduce($sales->searchSales(), $add, '0');
    echo rtrim($sum, '0'), "\n";
    try {
        record('order-3', var_export(0.1 + 0.2, true));
    } catch (ApiException $refused) {
        ['Error-Code' => [$code], 'Error-Field' => [$field]] = $refused->getResponseHeaders();
        echo "{$refused->getCode()} $code $field\n";
    }
}
